import type { KnownNames } from './known-names.ts'

/** A mistake or a doubt in the configuration, with the place of it. */
export interface JndiFinding {
  /** Members from the object `jndi` on: `['contextProperties', 'java.naming.provider.url']`. */
  readonly path: readonly string[]
  readonly message: string
}

/** Collects problems and warnings of properties. */
export class Findings {
  readonly names: KnownNames
  readonly problems: JndiFinding[] = []
  readonly warnings: JndiFinding[] = []

  constructor(names: KnownNames) {
    this.names = names
  }

  problem(path: readonly string[], message: string): void {
    this.problems.push({ path, message })
  }

  warning(path: readonly string[], message: string): void {
    this.warnings.push({ path, message })
  }
}

/** The place of a JNDI property. */
export function property(name: string): readonly string[] {
  return ['contextProperties', name]
}
