import type { LogLevel } from './levels.ts'
import type { Logger } from './logger.ts'

/** Writes by the logger that a function returns at the time of the entry. */
class DelegatingLogger implements Logger {
  readonly #current: () => Logger

  constructor(current: () => Logger) {
    this.#current = current
  }

  get name(): string | null {
    return this.#current().name
  }

  get level(): LogLevel {
    return this.#current().level
  }

  get trace(): Logger['trace'] {
    return this.#current().trace
  }

  get debug(): Logger['debug'] {
    return this.#current().debug
  }

  get info(): Logger['info'] {
    return this.#current().info
  }

  get warn(): Logger['warn'] {
    return this.#current().warn
  }

  get error(): Logger['error'] {
    return this.#current().error
  }

  child(bindings: Parameters<Logger['child']>[0]): Logger {
    let parent = this.#current()
    let child = parent.child(bindings)
    return new DelegatingLogger(() => {
      const current = this.#current()
      if (current !== parent) {
        parent = current
        child = current.child(bindings)
      }
      return child
    })
  }

  isEnabled(level: Parameters<Logger['isEnabled']>[0]): boolean {
    return this.#current().isEnabled(level)
  }

  limited(...limits: Parameters<Logger['limited']>): ReturnType<Logger['limited']> {
    return this.#current().limited(...limits)
  }
}

/** A logger that can be replaced while objects use it: later entries, also of its children, are written by the other one. */
export class ReplaceableLogger extends DelegatingLogger {
  readonly #target: { logger: Logger }

  constructor(logger: Logger) {
    const target = { logger }
    super(() => target.logger)
    this.#target = target
  }

  replace(logger: Logger): void {
    this.#target.logger = logger
  }
}
