import { join } from 'node:path'
import type { RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import { configWarning } from '#schema'
import type { RouteFile } from './route-files.ts'

/** Warnings of one revision that are logged once; beyond that they may be logged again. */
const MOST_REMEMBERED = 200

/** Logs the warnings of the routes of a folder, each once for all units. */
export class RouteWarningLog {
  readonly #directory: string
  readonly #logger: Logger
  /** By route. */
  readonly #logged = new Map<string, { readonly revision: string; readonly messages: Set<string> }>()

  constructor(directory: string, logger: Logger) {
    this.#directory = directory
    this.#logger = logger
  }

  /** `found`: the file of the route; a warning of another revision than that of the file is left out. */
  log(found: RouteFile | undefined, { id, revision, warnings }: RouteWarnings): void {
    if (found?.route?.revision !== revision) return
    const known = this.#logged.get(id)
    const { messages } = known?.revision === revision ? known : { messages: new Set<string>() }
    this.#logged.set(id, { revision, messages })
    for (const { pointer, message } of warnings) {
      // Each unit reports it. A warning that depends on other routes changes with them, and is logged again.
      const key = `${pointer} ${message}`
      if (messages.has(key)) continue
      if (messages.size >= MOST_REMEMBERED) messages.clear()
      messages.add(key)
      const { line, column } = found.route.document.locate(pointer)
      const fields = { file: join(this.#directory, found.file), line, column, pointer }
      this.#logger.warn(fields, configWarning(`${found.file}:${line}:${column}: ${pointer}: ${message}`))
    }
  }

  /** A route is served no more. */
  forget(id: string): void {
    this.#logged.delete(id)
  }
}
