import { config, type Deferred, duration, type Field } from '#schema'

const DEFAULT_TEXT = '5 minutes'
const DEFAULT_LEASE = 300_000

/** The field `leaseExpiry` of secret stores. */
export function leaseExpiry(): Field<Deferred<number>> {
  return config(duration()).default(DEFAULT_TEXT).meta({
    description: 'How long secrets are cached; zero or unlimited causes a warning, and the default is used.',
  })
}

/** Warns of a lease that is replaced. */
export function checkLease(leaseExpiry: number, warn: (message: string) => void): void {
  if (isUsable(leaseExpiry)) return
  const found = leaseExpiry === 0 ? 'zero' : 'unlimited'
  warn(`leaseExpiry can not be ${found}; the default of ${DEFAULT_TEXT} is used`)
}

/** Milliseconds of a lease; zero or unlimited is replaced by the default (spec: leaseExpiry). */
export function usableLease(leaseExpiry: number): number {
  return isUsable(leaseExpiry) ? leaseExpiry : DEFAULT_LEASE
}

function isUsable(leaseExpiry: number): boolean {
  return leaseExpiry > 0 && leaseExpiry !== Number.POSITIVE_INFINITY
}
