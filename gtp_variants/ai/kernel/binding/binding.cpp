// The kernel as the Python module `gtp_variants.ai.kernel._kernel`; its types are in `_kernel.pyi`.
#include "binding.hpp"

NB_MODULE(_kernel, module) {
    module.doc() = "The C++ kernel; see _kernel.pyi.";
    kernel::bind_rules(module);
    kernel::bind_state(module);
    kernel::bind_search(module);
    kernel::bind_games(module);
    kernel::bind_puct(module);
    kernel::bind_encoder(module);
    kernel::bind_network(module);
    kernel::bind_self_play(module);
}
