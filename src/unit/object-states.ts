import type { ObjectStatus } from '#contracts'
import type { StateReporter } from '#heap'

/** Forwards the states of objects. Reporters are numbered, since two versions of a route may overlap. */
export class ObjectStates {
  readonly #send: (status: ObjectStatus) => void
  #reporters = 0

  constructor(send: (status: ObjectStatus) => void) {
    this.#send = send
  }

  /** A reporter for one object: reports changes only, and nothing after its withdrawal. */
  open(): StateReporter {
    const reporter = ++this.#reporters
    let last: string | null = null
    let withdrawn = false
    return {
      report: ({ object, route = null, state, detail }) => {
        const text = `${state} ${detail}`
        if (withdrawn || text === last) return
        last = text
        this.#send({ reporter, report: { object, route, state, detail } })
      },
      withdraw: () => {
        if (!withdrawn && last !== null) this.#send({ reporter, report: null })
        withdrawn = true
      },
    }
  }
}
