// Starts a program behind a wall of Landlock and seccomp, bounds it, and ends everything that it leaves behind.
//
// Three processes stand in a row. The first is what the starter sees: it waits, and ends as the program ends. The
// second watches: when the program or the first process ends, it kills all that the program has started and deletes
// the program's temporary folder. The third becomes the program.
//
// The second is in a Landlock domain that no signal leaves, so a signal "to everybody" from it reaches the program's
// processes and nobody else's, whatever group or parent they have. The program is in a domain within that one.
//
// The second also counts. Each new process or thread of the program waits for its leave. Once a second it adds up the
// temporary files of the program. It ends a program whose files are too large, as by the signal SIGXFSZ.
//
// Usage: landlock [read=PATH | write=PATH | list=PATH | network=1]... temporary=FOLDER -- COMMAND...
// It ends with the program's exit status, 128 + N after a signal N, 127 if there is no wall. Needs Linux 6.12.
// Usage: landlock families -- COMMAND... It only forbids the sockets that a network namespace does not hold back.

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <unordered_map>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// From linux/landlock.h, which is older than the kernel on many systems.
struct Ruleset {
  uint64_t files, tcp, scopes;
};
struct [[gnu::packed]] Beneath {
  uint64_t rights;
  int32_t place;
};
constexpr long FCHMODAT2 = 452, CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446;
constexpr long IO_URING_SETUP = 425, FILE_SETATTR = 469;
// The highest system call that the lists below were checked against: file_setattr of Linux 6.17. Its number is the same
// on x86-64 and ARM64. Raise it only after reviewing each call up to the new number.
constexpr uint32_t LAST_REVIEWED = FILE_SETATTR;
constexpr uint64_t LIST = 1 << 3, READ = LIST | 1 << 2 | 1 << 0, WRITE = (1 << 16) - 1;
// Rights that a file can have: execute, write, read, truncate, ioctl.
constexpr uint64_t ON_FILES = 0b111 | 0b11 << 14;
constexpr uint64_t TCP = 0b11, SIGNALS_AND_SOCKETS = 0b11;

// From linux/seccomp.h of Linux 5.19: a call that waits for an answer, and the answer.
struct Notice {
  uint64_t id;
  uint32_t pid, flags;
  seccomp_data call;
};
struct Answer {
  uint64_t id;
  int64_t value;
  int32_t error;
  uint32_t flags;
};
constexpr uint32_t NOTIFY = 0x7fc00000, NEW_LISTENER = 1 << 3, WAIT_KILLABLE = 1 << 5, CONTINUE = 1;
constexpr unsigned long RECEIVE = _IOWR('!', 0, Notice), SEND = _IOWR('!', 1, Answer);

// Maximum number of processes and threads when they are counted. Until the next count each of them may start another.
constexpr int64_t MOST_TASKS = 2048;
// Maximum number of bytes of all temporary files, and how many each file and folder counts at least.
constexpr int64_t MOST_BYTES = 1 << 30, LEAST_BYTES = 4096;
// Maximum number of folders of which each lies in the one before.
constexpr int MOST_FOLDERS = 100;

#if defined(__x86_64__)
constexpr uint32_t PROCESSOR = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t PROCESSOR = AUDIT_ARCH_AARCH64;
#endif

// System calls that reach other processes, their memory, keys or shared memory, or do what no filter could check.
// FILE_SETATTR changes attributes of files outside. Its reader, file_getattr (468), stays open, as stat does.
constexpr long REFUSED[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_migrate_pages, SYS_move_pages, SYS_shmget, SYS_shmat, SYS_shmctl,
    SYS_semget, SYS_semctl, SYS_semop, SYS_semtimedop,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_unshare, SYS_setns,
    SYS_inotify_add_watch, SYS_fanotify_mark,
    IO_URING_SETUP, 438 /* pidfd_getfd */, 440 /* process_madvise */, FILE_SETATTR,
};
// Requests of ioctl that change flags and attributes of a file that is open for reading only.
constexpr uint32_t REFUSED_REQUESTS[] = {FS_IOC_SETFLAGS, FS_IOC_SETVERSION, FS_IOC_FSSETXATTR};
// System calls on files outside that Landlock does not check. They do nothing, as many programs insist on them.
constexpr long IGNORED[] = {
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    FCHMODAT2, 463 /* setxattrat */, 466 /* removexattrat */,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};
// System calls whose argument must have one value in the bits of a mask: with others they change processes other than the
// caller, make a namespace, or make a socket that could send to any socket in the file system.
constexpr struct {
  long call;
  uint32_t argument, value, mask = UINT32_MAX;
} CHECKED[] = {
    {SYS_socketpair, 1, SOCK_STREAM, 0xf}, {SYS_clone, 0, 0, 0x7e020000},
    {SYS_prlimit64, 0, 0}, {SYS_sched_setaffinity, 0, 0}, {SYS_sched_setscheduler, 0, 0}, {SYS_sched_setparam, 0, 0},
    {SYS_sched_setattr, 0, 0}, {SYS_setpriority, 0, 0}, {SYS_setpriority, 1, 0}, {SYS_ioprio_set, 0, 1},
    {SYS_ioprio_set, 1, 0},
};
constexpr uint32_t DOMAINS[] = {AF_INET, AF_INET6, AF_NETLINK};
// The families of sockets that belong to a network namespace. AF_VSOCK and AF_BLUETOOTH, for example, do not.
constexpr uint32_t FAMILIES[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
// The calls that make a socket, of each kind of program. The first argument is the family.
constexpr struct {
  uint32_t processor;
  long call;
} SOCKET_CALLS[] = {{AUDIT_ARCH_X86_64, 41}, {AUDIT_ARCH_I386, 359}, {AUDIT_ARCH_AARCH64, 198}, {AUDIT_ARCH_ARM, 281}};
constexpr long SOCKETCALL = 102, X32 = 0x40000000, CLONE3 = 435;
// System calls that start a process or thread.
constexpr long COUNTED[] = {
    SYS_clone,
#if defined(__x86_64__)
    SYS_fork, SYS_vfork,
#endif
};

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "cannot start behind a wall: %s: %s\n", what, std::strerror(errno));
  _exit(127);
}

long check(long found, const char *what) {
  if (found < 0) fail(what);
  return found;
}

struct Filter {
  sock_filter lines[512];
  unsigned short count = 0;

  void add(int code, uint32_t value, unsigned char if_true = 0, unsigned char if_false = 0) {
    lines[count++] = {static_cast<unsigned short>(code), if_true, if_false, value};
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  // The lower half of an argument: the calls take ints.
  void load_argument(uint32_t number) { load(offsetof(seccomp_data, args) + 8 * number); }
  // Skip lines if the value loaded is this one, or if it is not.
  void skip_if(uint32_t value, unsigned char lines_) { add(BPF_JMP | BPF_JEQ | BPF_K, value, lines_, 0); }
  void skip_unless(long value, unsigned char lines_) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(value), 0, lines_);
  }
  void answer(uint32_t error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error); }
};

// Returns a file that hears of the COUNTED calls, or -1 if `is_counted` is false: then they are just allowed.
int filter_calls(bool has_network, bool is_counted) {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.skip_if(PROCESSOR, 1);
  filter.add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  filter.load_call();
  // Higher numbers are later calls, which programs can do without, and x32's. i386's have another processor.
  filter.add(BPF_JMP | BPF_JGT | BPF_K, LAST_REVIEWED, 0, 1);
  filter.answer(ENOSYS);
  // Its flags lie in memory, where they cannot be checked. Libraries then use clone.
  filter.skip_unless(CLONE3, 1), filter.answer(ENOSYS);
  for (long call : REFUSED) filter.skip_unless(call, 1), filter.answer(EPERM);
  for (long call : IGNORED) filter.skip_unless(call, 1), filter.answer(0);
  for (const auto &each : CHECKED) {
    filter.skip_unless(each.call, 5);
    filter.load_argument(each.argument);
    filter.add(BPF_ALU | BPF_AND | BPF_K, each.mask);
    filter.skip_if(each.value, 1);
    filter.answer(EPERM);
    filter.load_call();
  }
  const uint32_t found = is_counted ? NOTIFY : SECCOMP_RET_ALLOW;
  for (long call : COUNTED) filter.skip_unless(call, 1), filter.add(BPF_RET | BPF_K, found);
  for (uint32_t request : REFUSED_REQUESTS) {
    filter.skip_unless(SYS_ioctl, 4);
    filter.load_argument(1);
    filter.skip_unless(request, 1);
    filter.answer(EPERM);
    filter.load_call();
  }
  filter.skip_unless(SYS_socket, 5);
  filter.load_argument(0);
  unsigned char left = 3;
  for (uint32_t domain : DOMAINS) filter.skip_if(has_network ? domain : UINT32_MAX, left--);
  filter.answer(EACCES);
  filter.add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program = {filter.count, filter.lines};
  const uint32_t flags = is_counted ? NEW_LISTENER | WAIT_KILLABLE : 0;
  const long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  // A wall around this one counts already, and there can be only one listener.
  if (listener < 0 && is_counted && errno == EBUSY) return filter_calls(has_network, false);
  check(listener, "seccomp");
  return is_counted ? static_cast<int>(listener) : -1;
}

// Forbids the sockets of other families, for a program in a network namespace.
void filter_families() {
  Filter filter;
  // io_uring makes sockets without a call that a filter sees. Each processor has the same number for it; x32 adds a bit.
  // Programs take ENOSYS for an older kernel, and do without.
  filter.load_call();
  filter.add(BPF_ALU | BPF_AND | BPF_K, ~static_cast<uint32_t>(X32));
  filter.skip_unless(IO_URING_SETUP, 1), filter.answer(ENOSYS);
  for (const auto &each : SOCKET_CALLS) {
    filter.load(offsetof(seccomp_data, arch));
    filter.skip_unless(each.processor, 9);
    filter.load_call();
    filter.add(BPF_ALU | BPF_AND | BPF_K, ~static_cast<uint32_t>(X32));
    filter.skip_unless(each.call, 6);
    filter.load_argument(0);
    unsigned char left = 4;
    for (uint32_t family : FAMILIES) filter.skip_if(family, left--);
    filter.answer(EAFNOSUPPORT);
  }
  // The old call of 32-bit programs, whose family lies in memory.
  filter.load(offsetof(seccomp_data, arch));
  filter.skip_unless(AUDIT_ARCH_I386, 5);
  filter.load_call();
  filter.skip_unless(SOCKETCALL, 3);
  filter.load_argument(0);
  filter.skip_unless(1, 1);
  filter.answer(EAFNOSUPPORT);
  filter.add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program = {filter.count, filter.lines};
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new rights");
  check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

// Returns the value of a word NAME=VALUE, or null for another name.
const char *value_of(const char *word, const char *name) {
  const std::size_t size = std::strlen(name);
  return !std::strncmp(word, name, size) && word[size] == '=' ? word + size + 1 : nullptr;
}

void open_place(int ruleset, const char *path, uint64_t rights) {
  const int place = path ? open(path, O_PATH | O_CLOEXEC) : -1;
  struct stat about;
  if (place < 0) return;
  check(fstat(place, &about), path);
  const Beneath beneath = {S_ISDIR(about.st_mode) ? rights : rights & ON_FILES, place};
  check(syscall(ADD_RULE, ruleset, 1, &beneath, 0), path);
  close(place);
}

// Gives up signals to processes outside, and the rights on files and TCP except those on the places that `words` name.
void enter_domain(const Ruleset &asked, char **words = nullptr, const char *folder = nullptr) {
  const int ruleset = static_cast<int>(check(syscall(CREATE_RULESET, &asked, sizeof asked, 0), "Landlock"));
  for (; words && std::strcmp(*words, "--"); words++) {
    open_place(ruleset, value_of(*words, "read"), READ);
    open_place(ruleset, value_of(*words, "write"), WRITE);
    open_place(ruleset, value_of(*words, "list"), LIST);
  }
  open_place(ruleset, folder, WRITE);
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new rights");
  check(syscall(RESTRICT_SELF, ruleset, 0), "Landlock");
  close(ruleset);
}

// Becomes the program. `listener` becomes the file of the starter, with whom this process still shares its open files.
[[noreturn]] void become(char **words, char **command, pid_t group, const char *folder, int listener) {
  check(setpgid(0, group), "process group");
  for (int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const char *name : {"TMPDIR", "TMP", "TEMP", "HOME"}) setenv(name, folder, 1);
  bool has_network = false;
  for (char **word = words; word < command; word++) has_network |= value_of(*word, "network") != nullptr;
  enter_domain({WRITE, has_network ? 0 : TCP, SIGNALS_AND_SOCKETS}, words, folder);
  const int heard = filter_calls(has_network, true);
  if (heard >= 0) check(dup3(heard, listener, O_CLOEXEC), "listener"), close(heard);
  execvp(command[0], command);
  fail(command[0]);
}

// Calls act(number of the folder, name) for each name in a folder, and closes the folder.
template <class Act>
void for_each_in(int folder, Act act) {
  DIR *all = fdopendir(folder);
  while (const dirent *entry = all ? readdir(all) : nullptr) {
    if (std::strcmp(entry->d_name, ".") && std::strcmp(entry->d_name, "..")) act(folder, entry->d_name);
  }
  if (all) closedir(all);
}

// Opens a folder, also one that its owner may not read. No link leads elsewhere.
int open_folder(int parent, const char *name) {
  syscall(FCHMODAT2, parent, name, 0700, AT_SYMLINK_NOFOLLOW);
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Returns the bytes of the files in a folder, and closes it. A folder in too many others counts as too large.
int64_t size_of(int folder, int depth = 0) {
  int64_t size = depth > MOST_FOLDERS ? MOST_BYTES + 1 : 0;
  for_each_in(folder, [&size, depth](int parent, const char *name) {
    struct stat about;
    if (size > MOST_BYTES || fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW)) return;
    const int64_t bytes = about.st_blocks * 512;
    size += bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
    if (S_ISDIR(about.st_mode)) size += size_of(open_folder(parent, name), depth + 1);
  });
  return size;
}

// Deletes a folder. Folders in its folders are moved up until none is left, as a path may be too long to be opened.
void remove_folder(const char *folder) {
  const int top = open_folder(AT_FDCWD, folder);
  unsigned moves = 0;
  for (bool is_changing = true; is_changing;) {
    is_changing = false;
    for_each_in(open_folder(top, "."), [&](int, const char *name) {
      if (!unlinkat(top, name, 0)) return;
      for_each_in(open_folder(top, name), [&](int inner, const char *deep) {
        char moved[32];
        std::snprintf(moved, sizeof moved, "moved-%u", moves++);
        is_changing |= !unlinkat(inner, deep, 0) || !renameat(inner, deep, top, moved);
      });
      is_changing |= !unlinkat(top, name, AT_REMOVEDIR);
    });
  }
  close(top);
  rmdir(folder);
}

// Returns the number of processes and threads that descend from a process, MOST_TASKS if it cannot be known.
int64_t count_tasks(int ancestor) {
  struct Task {
    int process, threads;
  };
  std::unordered_map<int, std::vector<Task>> children;
  const int processes = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (processes < 0) return MOST_TASKS;
  for_each_in(processes, [&children](int parent, const char *name) {
    char path[300], text[1024];
    std::snprintf(path, sizeof path, "%s/stat", name);
    const int file = openat(parent, path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[size > 0 ? size : 0] = 0;
    // The name of a program may have parentheses and spaces.
    const char *rest = std::strrchr(text, ')');
    int its_parent, threads;
    const char *form = ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d";
    if (!rest || std::sscanf(rest, form, &its_parent, &threads) < 2) return;
    children[its_parent].push_back({std::atoi(name), threads});
  });
  int64_t count = 0;
  std::vector<int> waiting = {ancestor};
  while (!waiting.empty()) {
    const int parent = waiting.back();
    waiting.pop_back();
    for (const Task &each : children[parent]) count += each.threads, waiting.push_back(each.process);
  }
  return count;
}

// Gives or refuses leave to start a process or thread. `left` are those that may start before the next count.
void answer_call(int listener, int64_t &left) {
  Notice notice = {};
  if (ioctl(listener, RECEIVE, &notice)) return;
  if (left <= 0) left = MOST_TASKS - count_tasks(getpid());
  Answer answer = {notice.id, 0, left > 0 ? 0 : -EAGAIN, left > 0 ? CONTINUE : 0};
  left--;
  ioctl(listener, SEND, &answer);
}

// Starts the program; returns its exit status once it and all that it has started have ended.
int watch(char **words, char **command, pid_t first, const char *folder) {
  const pid_t group = getpgid(first);
  check(setpgid(0, 0), "process group");
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  check(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper");
  check(prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0), "signal");
  enter_domain({0, 0, SIGNALS_AND_SOCKETS});
  // The signal at the end would reach everybody.
  if (kill(first, 0) == 0 || errno != EPERM) fail("Landlock does not hold back signals");
  const int signals = static_cast<int>(check(signalfd(-1, &awaited, SFD_CLOEXEC), "signals"));
  const int listener = static_cast<int>(check(fcntl(signals, F_DUPFD_CLOEXEC, 0), "listener"));
  // The program shares our open files until it is executed, so that its listener becomes ours.
  const int shares = CLONE_FILES | CLONE_VFORK | SIGCHLD;
  const pid_t third = static_cast<pid_t>(check(syscall(SYS_clone, shares, 0, 0, 0, 0), "fork"));
  if (!third) become(words, command, group, folder, listener);
  for (int file : {STDIN_FILENO, STDOUT_FILENO}) close(file);
  pollfd ready[] = {{signals, POLLIN, 0}, {listener, POLLIN, 0}};
  int status = SIGKILL;
  int64_t left = MOST_TASKS, looked_s = std::time(nullptr);
  bool has_ended = false;
  while (!has_ended && getppid() == first) {
    poll(ready, 2, 1000);
    if (ready[1].revents & POLLIN) answer_call(listener, left);
    if (ready[1].revents & POLLHUP) ready[1].fd = -1;
    signalfd_siginfo about = {};
    if (ready[0].revents && read(signals, &about, sizeof about) > 0 && about.ssi_signo == SIGTERM) break;
    int ended;
    while (pid_t pid = waitpid(-1, &ended, WNOHANG)) {
      if (pid < 0) break;
      if (pid == third) status = ended, has_ended = true;
    }
    if (has_ended || std::time(nullptr) == looked_s) continue;
    looked_s = std::time(nullptr);
    if (size_of(open_folder(AT_FDCWD, folder)) > MOST_BYTES) {
      std::fprintf(stderr, "ended by its wall: its temporary files exceed 1 GiB, or lie too deep\n");
      status = SIGXFSZ, has_ended = true;
    }
  }
  kill(-1, SIGKILL);
  while (wait(nullptr) > 0 || errno == EINTR) {
  }
  remove_folder(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int count, char **words) {
  const char *parent = nullptr;
  char **command = ++words;
  for (; command < words + count - 1 && std::strcmp(*command, "--"); command++) {
    if (const char *value = value_of(*command, "temporary")) parent = value;
  }
  const bool is_complete = command + 1 < words + count - 1;
  if (is_complete && !std::strcmp(words[0], "families")) {
    filter_families();
    execvp(command[1], command + 1);
    fail(command[1]);
  }
  if (!parent || !is_complete) {
    errno = EINVAL;
    fail("expected temporary=FOLDER, -- and a command");
  }
  uint64_t chance;
  char folder[4096];
  check(getrandom(&chance, sizeof chance, 0), "random number");
  std::snprintf(folder, sizeof folder, "%s/gtp-variants-%d-%016llx", parent, getpid(), static_cast<unsigned long long>(chance));
  check(mkdir(folder, 0700), folder);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  const pid_t first = getpid(), second = static_cast<pid_t>(check(fork(), "fork"));
  if (!second) _exit(watch(words, command + 1, first, folder));
  for (int file : {STDIN_FILENO, STDOUT_FILENO}) close(file);
  int status;
  while (waitpid(second, &status, 0) < 0) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
