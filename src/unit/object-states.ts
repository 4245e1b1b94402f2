import type { ObjectStatus } from '#contracts'
import type { StateReporter } from '#heap'

/** Passes on how objects are doing; each has a number of its own, since two versions of a route may overlap. */
export class ObjectStates {
  readonly #tell: (status: ObjectStatus) => void
  #reporters = 0

  constructor(tell: (status: ObjectStatus) => void) {
    this.#tell = tell
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
        this.#tell({ reporter, report: { object, route, state, detail } })
      },
      withdraw: () => {
        if (!withdrawn && last !== null) this.#tell({ reporter, report: null })
        withdrawn = true
      },
    }
  }
}
