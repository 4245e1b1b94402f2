import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate file system that a test can fill or make read-only, unmounted at the end of its scope. Needs the permission to mount. */
export class SmallDisk implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'gateway-disk-'))

  constructor(kilobytes = 1024) {
    const failure = run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=755`, 'tmpfs', this.path)
    if (failure === null) return
    rmdirSync(this.path)
    throw new Error(failure)
  }

  /** Why none can be mounted here, or false; for the `skip` of a test. */
  static get isMissing(): string | false {
    try {
      new SmallDisk(16)[Symbol.dispose]()
      return false
    } catch (error) {
      return `no file system can be mounted here: ${(error as Error).message}`
    }
  }

  /** Creates a folder on it. */
  folder(name: string): string {
    mkdirSync(join(this.path, name), { recursive: true })
    return join(this.path, name)
  }

  /** Uses all free space. */
  fill(): void {
    for (const bytes of [64 * 1024, 4096]) {
      try {
        for (let n = 0; ; n++) writeFileSync(join(this.folder('ballast'), `${bytes}-${n}`), Buffer.alloc(bytes))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  }

  /** Frees the space used by `fill`. */
  free(): void {
    rmSync(join(this.path, 'ballast'), { recursive: true, force: true })
  }

  remount(mode: 'ro' | 'rw'): void {
    const failure = run('mount', '-o', `remount,${mode}`, this.path)
    if (failure !== null) throw new Error(failure)
  }

  [Symbol.dispose](): void {
    // Lazily: a process may still have files open.
    const failure = run('umount', '-l', this.path)
    if (failure !== null) throw new Error(failure)
    rmdirSync(this.path)
  }
}

/** The error of a command, or null. */
function run(command: string, ...words: string[]): string | null {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8', timeout: 10_000 })
  return status === 0 ? null : (error?.message ?? stderr.trim())
}
