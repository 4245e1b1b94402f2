import { Executor } from '#contracts'
import { defineType, type TypeDefinition } from '#schema'

/** An executor whose time is moved by the test: a task runs when the test advances it. */
export class ManualExecutor implements Executor {
  /** The tasks that wait, in the order in which they were scheduled. */
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

  /** Runs the first task that waits, or the next one to come; gives its delay. */
  async next(): Promise<number> {
    await this.scheduled()
    const { delay, task } = this.waiting.shift()!
    await task()
    return delay
  }

  /** Resolves when a task waits. */
  async scheduled(): Promise<void> {
    while (this.waiting.length === 0) {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.#changed.delete(look)
          resolve()
        }
        this.#changed.add(look)
      })
    }
  }

  /** The type and the heap object through which a configuration under test finds this executor. */
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
