import type { HealthCheck, ObjectStatus } from '#contracts'
import type { StateReporter } from '#heap'
import type { ObjectState } from '#schema'

type Report = NonNullable<ObjectStatus['report']>

const SEVERITY: Readonly<Record<ObjectState, number>> = { up: 0, starting: 1, degraded: 2 }

/** The last reported states of the objects of all units. */
export class ObjectStates {
  readonly #byUnit = new Map<object, Map<number, Report>>()
  /** Units that were replaced, whose states no longer matter. */
  readonly #replaced = new WeakSet<object>()
  #reporters = 0

  record(unit: object, { reporter, report }: ObjectStatus): void {
    if (this.#replaced.has(unit)) return
    const known = this.#byUnit.get(unit) ?? new Map<number, Report>()
    if (report === null) known.delete(reporter)
    else known.set(reporter, report)
    this.#byUnit.set(unit, known)
  }

  /** A reporter for one object of this thread; `owner` takes the place of a unit number. */
  reporter(owner: object): StateReporter {
    const reporter = ++this.#reporters
    return {
      report: ({ object, state, detail }) =>
        this.record(owner, { reporter, report: { object, route: null, state, detail } }),
      withdraw: () => this.record(owner, { reporter, report: null }),
    }
  }

  /** A unit was replaced: its objects are no longer those of the configuration. */
  ignoreUnit(unit: object): void {
    this.#replaced.add(unit)
    this.removeUnit(unit)
  }

  /** A unit has ended: its states are removed. */
  removeUnit(unit: object): void {
    this.#byUnit.delete(unit)
  }

  /**
   * One check for each object, with its worst state in any unit. A degraded object does not make the gateway unready: other
   * routes are served, and a restart would not help.
   */
  checks(): HealthCheck[] {
    const byObject = Map.groupBy(this.#reports(), ({ object }) => object)
    return [...byObject]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, reports]) => {
        const { state, detail } = worst(reports)
        const same = reports.filter((report) => report.state === state).length
        const share = reports.length > 1 && same < reports.length ? ` (${same} of ${reports.length})` : ''
        return { name, ok: true, state, detail: `${detail}${share}` }
      })
  }

  /** Degraded objects of a route, for the state of the route. */
  degradedIn(directory: string, id: string): readonly { readonly object: string; readonly detail: string }[] {
    return this.degradedRoutes(directory).get(id) ?? []
  }

  /** The same for all routes of a folder, by the id of the route. */
  degradedRoutes(
    directory: string,
  ): ReadonlyMap<string, readonly { readonly object: string; readonly detail: string }[]> {
    const own = this.#reports().filter(({ route, state }) => state === 'degraded' && route?.directory === directory)
    const byRoute = Map.groupBy(own, ({ route }) => route?.id as string)
    return new Map([...byRoute].map(([id, reports]) => [id, worstOfEach(reports)]))
  }

  #reports(): Report[] {
    return [...this.#byUnit.values()].flatMap((reports) => [...reports.values()])
  }
}

function worstOfEach(reports: readonly Report[]): { object: string; detail: string }[] {
  const objects = Map.groupBy(reports, ({ object }) => object)
  return [...objects].map(([object, own]) => ({ object, detail: worst(own).detail }))
}

function worst(reports: readonly Report[]): Report {
  return reports.reduce((a, b) => (SEVERITY[b.state] > SEVERITY[a.state] ? b : a))
}
