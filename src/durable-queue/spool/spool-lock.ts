import { open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { nameFile } from '#files'
import { isHere, isRunning, type ProcessIdentity, thisProcess } from './process-identity.ts'

/** A lock of another machine counts as left behind when its holder has not renewed it for this long. */
const EXPIRY = 60_000
const RENEWAL = 10_000
/** Milliseconds between finding a lock left behind and replacing it, with room. */
const TAKEOVER = 50

/** Another process, or another queue of this one, has the spool open. */
export class SpoolLocked extends Error {
  readonly code = 'ELOCKED'

  constructor(holder: string) {
    super(`the spool directory is in use by ${holder}`)
  }
}

const FILE = 'lock'

/** Locks of this thread. */
const opened = new Set<string>()

/** Exclusive use of a spool directory: a file with the holder's process id, which a crash leaves behind. */
export class SpoolLock {
  readonly #path: string
  readonly #timer: NodeJS.Timeout
  #renewal: Promise<unknown> | null = null

  private constructor(path: string) {
    this.#path = path
    this.#timer = setInterval(() => this.#renew(), RENEWAL).unref()
  }

  /** Rejects with SpoolLocked. */
  static async acquire(directory: string): Promise<SpoolLock> {
    const path = join(directory, FILE)
    if (opened.has(path)) throw new SpoolLocked('another handler of this gateway')
    opened.add(path)
    try {
      if (!(await create(path))) {
        const holder = await activeHolder(path)
        if (holder !== null) throw new SpoolLocked(`process ${holder.pid} of ${holder.host}`)
        await rm(path, { force: true })
        // A process that finds the same old lock may remove the new one: the last of them has it.
        const isCreated = await create(path)
        await wait(TAKEOVER)
        if (!isCreated || (await holderIn(path))?.pid !== process.pid) {
          throw new SpoolLocked('a process that started at the same time')
        }
      }
    } catch (error) {
      opened.delete(path)
      throw error
    }
    return new SpoolLock(path)
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    // It would create the removed file again.
    await this.#renewal
    await rm(this.#path, { force: true }).catch(() => {})
    opened.delete(this.#path)
  }

  /** One at a time: each call to an unresponsive disk blocks a thread of the pool. */
  #renew(): void {
    const now = new Date()
    // A removed directory may have been created again by now.
    this.#renewal ??= utimes(this.#path, now, now)
      .catch(() => create(this.#path).catch(() => {}))
      .finally(() => {
        this.#renewal = null
      })
  }
}

/** Whether a process has the spool open. */
export async function isLocked(directory: string): Promise<boolean> {
  const path = join(directory, FILE)
  return opened.has(path) || (await activeHolder(path)) !== null
}

/** False where the file exists. */
async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(JSON.stringify(thisProcess()))
    } catch (error) {
      await rm(path, { force: true })
      throw nameFile(error, path)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Null where the holder of the lock has ended. */
async function activeHolder(path: string): Promise<ProcessIdentity | null> {
  const holder = await holderIn(path)
  if (holder !== null && isHere(holder)) return isRunning(holder) ? holder : null
  const age =
    Date.now() -
    (await stat(path)
      .then(({ mtimeMs }) => mtimeMs)
      .catch(() => 0))
  if (age > EXPIRY) return null
  return holder ?? { pid: 0, started: '', host: 'an unknown host' }
}

async function holderIn(path: string): Promise<ProcessIdentity | null> {
  try {
    const { pid, started, host } = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessIdentity>
    return typeof pid === 'number' && pid > 0 ? { pid, started: String(started), host: String(host) } : null
  } catch {
    return null
  }
}
