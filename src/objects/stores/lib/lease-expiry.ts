import { config, type Deferred, duration, type Environment, type Field } from '#schema'

const DEFAULT_TEXT = '5 minutes'
const DEFAULT_LEASE = 300_000

/** The field `leaseExpiry` of secret stores. */
export function leaseExpiry(): Field<Deferred<number>> {
  return config(duration()).default(DEFAULT_TEXT).meta({
    description: 'How long secrets are cached; zero or unlimited causes a warning, and the default is used.',
  })
}

/** Milliseconds of a lease; zero or unlimited is replaced by the default (spec: leaseExpiry). */
export function usableLease(leaseExpiry: number, env: Environment): number {
  if (leaseExpiry > 0 && leaseExpiry !== Number.POSITIVE_INFINITY) return leaseExpiry
  const found = leaseExpiry === 0 ? 'zero' : 'unlimited'
  env.warn(`leaseExpiry can not be ${found}; the default of ${DEFAULT_TEXT} is used`)
  return DEFAULT_LEASE
}
