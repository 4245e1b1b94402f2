import { join } from 'node:path'
import type { RouteSource, RouteWarnings } from '#contracts'
import type { Logger } from '#logging'
import { configWarning } from '#schema'
import type { DeployCounts } from './deploy-metrics.ts'
import type { RouteFile } from './route-files.ts'
import type { PlannedChange, RoutePlan, ServedRoute } from './route-plan.ts'

/** Warnings of one revision that are logged once; beyond that they may be logged again. */
const MOST_REMEMBERED = 200

/** The served routes of one folder, and their warnings. */
export class ServedRoutes {
  readonly #directory: string
  readonly #deploys: DeployCounts
  readonly #logger: Logger
  readonly #routes = new Map<string, ServedRoute>()
  /** Warnings that have been logged, by route. */
  readonly #warned = new Map<string, { readonly revision: string; readonly messages: Set<string> }>()

  constructor(directory: string, deploys: DeployCounts, logger: Logger) {
    this.#directory = directory
    this.#deploys = deploys
    this.#logger = logger
  }

  /** By their ids. */
  get routes(): ReadonlyMap<string, ServedRoute> {
    return this.#routes
  }

  get sources(): readonly RouteSource[] {
    return [...this.#routes.values()].map(({ source }) => source)
  }

  /** The served route of a file. */
  ofFile(file: string): ServedRoute | undefined {
    return [...this.#routes.values()].find((served) => served.file === file)
  }

  /** Records the routes that routers get when they open. */
  begin({ changes }: RoutePlan): void {
    for (const { change, file } of changes)
      if ('put' in change) this.#routes.set(change.put.id, { source: change.put, file })
  }

  /** An earlier version is served in the place of a route that can not be. */
  restore(id: string, earlier: ServedRoute): void {
    if (id !== earlier.source.id && this.#routes.has(earlier.source.id)) return
    this.#routes.delete(id)
    this.#routes.set(earlier.source.id, earlier)
  }

  /** Files that are no routes get an earlier version, where there is one whose id is free. */
  fill(files: ReadonlyMap<string, RouteFile>, earlier: (file: string) => ServedRoute | null): void {
    for (const { file, route } of files.values()) {
      const found = route === null ? earlier(file) : null
      if (found !== null && !this.#routes.has(found.source.id)) this.#routes.set(found.source.id, found)
    }
  }

  /** A unit could not build a route; it stays recorded, since other units may serve it until its file is removed. */
  markIncomplete(id: string): ServedRoute | undefined {
    const served = this.#routes.get(id)
    if (served !== undefined) this.#routes.set(id, { ...served, incomplete: true })
    return served
  }

  /** Texts that differ in comments only are not deployed; new units and the history get the current ones. */
  updateTexts(files: ReadonlyMap<string, RouteFile>): void {
    for (const [id, served] of this.#routes) {
      const found = files.get(served.file)
      if (found?.route?.id !== id || found.route.revision !== served.source.revision) continue
      if (found.text === served.source.text) continue
      this.#routes.set(id, { ...served, source: { ...served.source, text: found.text } })
    }
  }

  /** A change is swapped in by every unit. */
  record({ change, file }: PlannedChange): void {
    this.#deploys.succeeded++
    this.#deploys.lastAt = Date.now()
    if ('remove' in change) {
      if (this.#routes.get(change.remove)?.file === file) this.#routes.delete(change.remove)
      this.#warned.delete(change.remove)
      this.#logger.info({ route: change.remove, file }, 'route removed')
      return
    }
    const updated = this.#routes.has(change.put.id)
    this.#routes.set(change.put.id, { source: change.put, file })
    this.#logger.info({ route: change.put.id, file }, updated ? 'route updated' : 'route loaded')
  }

  /** Logs the warnings of a route, once for all units. */
  warn(files: ReadonlyMap<string, RouteFile>, { id, revision, warnings }: RouteWarnings): void {
    // The unit reports them while it swaps, before the new version is recorded here.
    const served = files.get(this.#routes.get(id)?.file ?? '')
    const found = served?.route?.id === id ? served : [...files.values()].find(({ route }) => route?.id === id)
    if (found?.route?.revision !== revision) return
    const known = this.#warned.get(id)
    const { messages } = known?.revision === revision ? known : { messages: new Set<string>() }
    this.#warned.set(id, { revision, messages })
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
}
