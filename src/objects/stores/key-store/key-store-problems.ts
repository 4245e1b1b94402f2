import { SecretError } from '#contracts'
import type { Problem } from '#schema'

/** All problems of a keystore, each with its field. */
export class KeyStoreProblems extends SecretError {
  readonly problems: readonly Problem[]

  constructor(store: string, problems: readonly Problem[]) {
    super(`${store}: ${problems.map(({ message }) => message).join('; ')}`)
    this.problems = problems
  }
}
