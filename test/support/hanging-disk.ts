import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { Folder } from './folder.ts'

const HAS_COMPILER = process.platform === 'linux' && spawnSync('gcc', ['--version']).status === 0

/** For `skip`: hanging disks need Linux and gcc. */
export const noHangingDisk: string | false = HAS_COMPILER ? false : 'it needs Linux and gcc'

/** Calls of the C library that wait while a file exists, if their path or file is in a folder; a wait is no sooner over for a signal. */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void wait_for(const char *path) {
  const char *part = getenv("HANGING_PATH"), *flag = getenv("HANGING_FLAG");
  if (part == NULL || flag == NULL || path == NULL || strstr(path, part) == NULL) return;
  while (access(flag, F_OK) == 0) usleep(5000);
}

static void wait_for_file(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  wait_for(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define OPEN(name) int name(const char *path, int flags, ...) { \\
  va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \\
  wait_for(path); return NEXT(name)(path, flags, mode); }
OPEN(open)
OPEN(open64)
int openat(int at, const char *path, int flags, ...) {
  va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest);
  wait_for(path); return NEXT(openat)(at, path, flags, mode); }
ssize_t write(int fd, const void *bytes, size_t count) { wait_for_file(fd); return NEXT(write)(fd, bytes, count); }
ssize_t writev(int fd, const struct iovec *parts, int count) { wait_for_file(fd); return NEXT(writev)(fd, parts, count); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { wait_for_file(fd); return NEXT(pwrite)(fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) { wait_for_file(fd); return NEXT(pwrite64)(fd, bytes, count, at); }
int fsync(int fd) { wait_for_file(fd); return NEXT(fsync)(fd); }
int fdatasync(int fd) { wait_for_file(fd); return NEXT(fdatasync)(fd); }
int close(int fd) { wait_for_file(fd); return NEXT(close)(fd); }
int unlink(const char *path) { wait_for(path); return NEXT(unlink)(path); }
int rename(const char *from, const char *to) { wait_for(from); return NEXT(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { wait_for(path); return NEXT(mkdir)(path, mode); }
`

/** A disk for processes with its variables, which does not answer any call while it hangs. */
export class HangingDisk implements Disposable {
  /** Environment variables of processes that use it. */
  readonly env: Readonly<Record<string, string>>
  readonly #folder = new Folder()
  readonly #flag: string

  /** `part`: of the paths of its files. */
  constructor(part: string) {
    const library = this.#folder.in('disk.so')
    const { status, stderr } = spawnSync('gcc', ['-shared', '-fPIC', '-x', 'c', '-', '-o', library, '-ldl'], {
      input: SOURCE,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`the library of the disk can not be compiled: ${stderr}`)
    this.#flag = this.#folder.in('hangs')
    this.env = { LD_PRELOAD: library, HANGING_PATH: part, HANGING_FLAG: this.#flag }
  }

  hang(): void {
    writeFileSync(this.#flag, '')
  }

  /** Calls that wait go on. */
  release(): void {
    rmSync(this.#flag, { force: true })
  }

  [Symbol.dispose](): void {
    this.release()
    this.#folder[Symbol.dispose]()
  }
}
