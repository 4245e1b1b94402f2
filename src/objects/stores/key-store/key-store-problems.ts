import { SecretError } from '#contracts'
import type { Problem } from '#schema'

/** Everything that keeps a keystore from being used, each with the field it concerns. */
export class KeyStoreProblems extends SecretError {
  readonly problems: readonly Problem[]

  constructor(store: string, problems: readonly Problem[]) {
    super(`${store}: ${problems.map(({ message }) => message).join('; ')}`)
    this.problems = problems
  }
}
