import type { Logger } from '#logging'
import type { Counter, Metrics } from '#schema'
import { EVENTS } from '../log-events.ts'
import { type Replacement, STOPPING, type Supervisor, type UnitChange } from './supervisor.ts'

/** Problems of one log entry. */
const MAX_LOGGED = 20

/** Replaces units, with a log entry and a count of each outcome. */
export class UnitReplacements {
  readonly #supervisor: Supervisor
  readonly #logger: Logger
  readonly #replaced: () => Promise<void>
  /** The reason of the last refusal, until units are replaced: other attempts with it are counted alone. */
  #refusal = ''
  readonly #counts: Readonly<Record<Replacement['state'], Counter>>

  /** `replaced`: reads the route files again. */
  constructor(supervisor: Supervisor, metrics: Metrics, logger: Logger, replaced: () => Promise<void>) {
    this.#supervisor = supervisor
    this.#logger = logger
    this.#replaced = replaced
    const count = (result: string) =>
      metrics.counter('gw_unit_replacements_total', 'Changes of config.json or its folders while serving.', { result })
    this.#counts = { replaced: count('replaced'), refused: count('refused') }
  }

  async replace(change: UnitChange): Promise<Replacement> {
    const result = await this.#supervisor.replace(change)
    if (result.state === 'refused' && result.message === STOPPING) return result
    this.#counts[result.state].add()
    if (result.state === 'replaced') {
      this.#refusal = ''
      this.#logger.info('units with a new configuration serve; the others finish their requests')
      // Files may have changed while the units built them.
      await this.#replaced()
    } else {
      const { message: reason, problems } = result
      const refusal = JSON.stringify([reason, problems])
      const isKnown = refusal === this.#refusal
      this.#refusal = refusal
      if (isKnown) return result
      this.#logger.error({ reason, problems: problems.slice(0, MAX_LOGGED) }, EVENTS.UNITS_NOT_REPLACED)
    }
    return result
  }
}
