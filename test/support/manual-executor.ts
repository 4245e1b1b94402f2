import { Executor } from '#contracts'
import { defineType, type TypeDefinition } from '#schema'
import { within } from './waiting.ts'

/** An executor with manual time: a task runs when the test advances it. */
export class ManualExecutor implements Executor {
  /** The pending tasks, in the order in which they were scheduled. */
  readonly waiting: { readonly delay: number; readonly task: () => void | Promise<void> }[] = []
  readonly #changed = new Set<() => void>()

  schedule(delay: number, task: () => void | Promise<void>): () => void {
    const entry = { delay, task }
    this.waiting.push(entry)
    for (const look of [...this.#changed]) look()
    return () => {
      const at = this.waiting.indexOf(entry)
      if (at >= 0) this.waiting.splice(at, 1)
    }
  }

  /** Tasks that repeat never run. */
  repeat(): () => void {
    return () => {}
  }

  /** Runs the first pending task, or the next one that is scheduled; returns its delay. */
  async next(): Promise<number> {
    await this.scheduled()
    const { delay, task } = this.waiting.shift()!
    await task()
    return delay
  }

  /** Resolves when a task is pending. */
  async scheduled(): Promise<void> {
    while (this.waiting.length === 0) {
      const change = new Promise<void>((resolve) => {
        const look = (): void => {
          this.#changed.delete(look)
          resolve()
        }
        this.#changed.add(look)
      })
      await within('a task was scheduled', change)
    }
  }

  /** The type and the heap object of this executor for a configuration under test. */
  get buildOptions(): { types: TypeDefinition[]; heap: { name: string; type: string }[] } {
    const type = defineType({
      name: 'ManualExecutor',
      kind: Executor,
      summary: 'Runs tasks when a test says so.',
      config: {},
      create: () => this,
    })
    return { types: [type], heap: [{ name: 'ScheduledExecutorService', type: type.name }] }
  }
}
