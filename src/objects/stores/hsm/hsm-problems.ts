import { SecretError } from '#contracts'
import type { Problem } from '#schema'

/** What the configuration or the token has to change, each with its field. */
export class HsmProblems extends SecretError {
  readonly problems: readonly Problem[]

  constructor(store: string, problems: readonly Problem[]) {
    super(`${store}: ${problems.map(({ message }) => message).join('; ')}`)
    this.problems = problems
  }
}
