import type { Environment, ObjectState } from '#schema'

interface Reported {
  readonly state: ObjectState
  readonly detail: string
}

/** State of an AmService in the health endpoints: that of its notifications, unless only the login of the agent fails. */
export class ServiceState {
  readonly #report: Environment['reportState']
  #notifications: Reported | null = null
  #isAgentFailing = false

  constructor({ reportState }: Pick<Environment, 'reportState'>) {
    this.#report = reportState
  }

  notifications(state: ObjectState, detail: string): void {
    this.#notifications = { state, detail }
    this.#send()
  }

  agent(isFailing: boolean): void {
    if (isFailing === this.#isAgentFailing) return
    this.#isAgentFailing = isFailing
    // Notifications that are not connected have a reason of their own, often the same.
    if (this.#notifications === null || this.#notifications.state === 'up') this.#send()
  }

  #send(): void {
    const { state, detail } = this.#notifications ?? { state: 'up', detail: 'the agent is logged in' }
    if (state === 'up' && this.#isAgentFailing) this.#report('degraded', 'the last login of the agent failed')
    else this.#report(state, detail)
  }
}
