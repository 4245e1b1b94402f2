import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** Steps that change the disk; those that free space work on a full one. */
const CHANGES = ['copyFile', 'link', 'mkdir', 'open', 'rename', 'rm', 'symlink'] as const
const FREEING: ReadonlySet<string> = new Set(['rename', 'rm', 'sync'])

type Step = (...parts: unknown[]) => Promise<unknown>
const steps = promises as unknown as Record<string, Step>

/**
 * Faults of the disk for a whole process, by its functions in `node:fs/promises`: at a step and all later ones (none by default) either the process is
 * killed, so that nothing is changed any more and a write is cut in half, or the disk is full.
 */
export class DiskFaults implements Disposable {
  /** Steps so far, such as `rename current`. */
  readonly steps: string[] = []
  readonly #originals = new Map<string, Step>()
  readonly #from: number
  readonly #fault: 'killed' | 'ENOSPC'

  constructor(from = Number.POSITIVE_INFINITY, fault: 'killed' | 'ENOSPC' = 'killed') {
    this.#from = from
    this.#fault = fault
    for (const name of CHANGES) {
      const original = steps[name] as Step
      this.#originals.set(name, original)
      steps[name] = async (...parts) => {
        const isRead = name === 'open' && (parts[1] === undefined || parts[1] === 'r' || Number(parts[1]) % 4 === 0)
        if (!isRead) this.#step(name, String(['rename', 'link', 'symlink'].includes(name) ? parts[1] : parts[0]))
        const result = await original(...parts)
        return name === 'open' ? this.#faulty(result as promises.FileHandle, String(parts[0]), isRead) : result
      }
    }
    syncBuiltinESMExports()
  }

  [Symbol.dispose](): void {
    for (const [name, original] of this.#originals) steps[name] = original
    syncBuiltinESMExports()
  }

  /** Whether a step has failed. */
  get hasFailed(): boolean {
    return this.steps.length > this.#from
  }

  #step(name: string, path: string): void {
    this.steps.push(`${name} ${path}`)
    if (this.steps.length <= this.#from) return
    if (this.#fault === 'killed') throw new Error('killed')
    if (FREEING.has(name)) return
    const error = new Error(`ENOSPC: no space left on device, ${name} '${path}'`)
    throw Object.assign(error, { code: 'ENOSPC', syscall: name })
  }

  /** No write is synced: this process ends by a fault, not the machine. */
  #faulty(file: promises.FileHandle, path: string, isRead: boolean): promises.FileHandle {
    const write = file.writeFile.bind(file)
    file.writeFile = async (data, options) => {
      try {
        this.#step('write', path)
      } catch (error) {
        await write((data as Buffer | string).slice(0, data.toString().length / 2))
        throw error
      }
      await write(data, options)
    }
    file.sync = async () => {
      if (!isRead) this.#step('sync', path)
    }
    return file
  }
}
