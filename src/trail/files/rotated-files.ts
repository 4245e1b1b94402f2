import { rename, rm } from 'node:fs/promises'
import { syncDirectory } from '#files'
import type { ChainedTopic } from '../chain/chained-topic.ts'
import { compressFile } from './compress-file.ts'
import type { FilePlan } from './file-plan.ts'
import { expiredFiles } from './retention.ts'
import type { StepFailures } from './step-failures.ts'
import type { TopicFiles } from './topic-files.ts'

/** Files of a topic that get no more lines: compressed in the background, and removed by the rules of retention. */
export class RotatedFiles {
  readonly #files: TopicFiles
  readonly #plan: FilePlan
  readonly #chained: ChainedTopic | null
  readonly #failures: StepFailures
  readonly #ending = new AbortController()
  #compression: Promise<void> = Promise.resolve()

  constructor(files: TopicFiles, plan: FilePlan, chained: ChainedTopic | null, failures: StepFailures) {
    this.#files = files
    this.#plan = plan
    this.#chained = chained
    this.#failures = failures
  }

  /** Resolves when no compression runs. */
  get compressed(): Promise<void> {
    return this.#compression
  }

  /** Path for the active file when it is rotated at this time. */
  async nextName(now: number): Promise<string> {
    return this.#files.nextName(now, await this.#files.rotated())
  }

  /** Moves the active file here. */
  async add(target: string): Promise<void> {
    await rename(this.#files.path, target)
    await syncDirectory(target)
  }

  /** Removes files by the rules of retention. */
  async retain(activeSize: number): Promise<void> {
    const { retention } = this.#plan
    const rotated = await this.#files.rotated()
    const found = { directory: this.#files.directory, activeSize }
    let expired = await expiredFiles(rotated, retention, found)
    if (this.#chained !== null && expired.length > 0) {
      const history = await this.#chained.history.of(rotated)
      expired = await expiredFiles(history, retention, found)
      if (expired.length > 0) await this.#chained.retain(history.slice(expired.length))
    }
    if (expired.length === 0) return
    for (const { path } of expired) await rm(path, { force: true })
    this.#failures.succeeded('retention')
  }

  /** Compresses one file after the other, in the background. */
  compress(): void {
    if (!this.#plan.compress) return
    const { signal } = this.#ending
    this.#compression = this.#compression.then(async () => {
      try {
        for (const { path, isCompressed } of await this.#files.rotated()) {
          if (signal.aborted) return
          if (!isCompressed) await compressFile(path, this.#plan.mode, signal)
        }
        this.#failures.succeeded('compression')
      } catch (error) {
        // Retention may have removed the file meanwhile.
        if (!signal.aborted && (error as NodeJS.ErrnoException).code !== 'ENOENT')
          this.#failures.failed('compression', error)
      }
    })
  }

  /** Leaves a compression to the next start. */
  stop(): void {
    this.#ending.abort()
  }
}
