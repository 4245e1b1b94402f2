// Policies of the flows. OpenAM compares paths without regard to case, and `*` does not match `?`.
import { type Addresses, POLICY_SET, STRONG } from './set-up.ts'

export interface OpenAmPolicy {
  readonly name: string
  readonly active: true
  readonly applicationName: string
  readonly resources: readonly string[]
  readonly actionValues: Readonly<Record<string, boolean>>
  readonly subject: object
  readonly condition?: object
}

export function policiesOf({ app, upstream }: Addresses): OpenAmPolicy[] {
  return [
    policy('without-query', [`${app}/policies/plain/*`]),
    policy('with-query', [`${app}/policies/query/*`, `${app}/policies/query/*?*`]),
    policy('readers', [`${app}/policies/readers/*`], { subject: identity('demo') }),
    policy('level', [`${app}/policies/level/*`, `${app}/policies/level/*?*`], {
      condition: { type: 'AuthLevel', authLevel: 5 },
    }),
    policy('service', [`${app}/policies/service/*`, `${app}/policies/service/*?*`], {
      condition: { type: 'AuthenticateToService', authenticateToService: STRONG },
    }),
    // A level of no module: no login can satisfy this advice.
    policy('unreachable', [`${app}/policies/unreachable/*`, `${app}/policies/unreachable/*?*`], {
      condition: { type: 'AuthLevel', authLevel: 99 },
    }),
    policy('from-far', [`${app}/policies/far/*`], {
      condition: { type: 'IPv4', startIp: '192.0.2.1', endIp: '192.0.2.9' },
    }),
    policy('from-near', [`${app}/policies/near/*`], {
      condition: { type: 'IPv4', startIp: '127.0.0.1', endIp: '127.0.0.9' },
    }),
    policy('one-level', [`${app}/policies/one/-*-`]),
    policy('without-port', ['https://www.example.test/*']),
    policy('alpha', [`${app}/alpha-policies/*`]),
    policy('upstream', [`${upstream}/rewritten/*`]),
  ]
}

/** A policy that grants GET to authenticated users. */
export function policy(name: string, resources: readonly string[], fields: Partial<OpenAmPolicy> = {}): OpenAmPolicy {
  return {
    name,
    active: true,
    applicationName: POLICY_SET,
    resources,
    actionValues: { GET: true },
    subject: { type: 'AuthenticatedUsers' },
    ...fields,
  }
}

function identity(name: string): object {
  return { type: 'Identity', subjectValues: [`id=${name},ou=user,dc=openam,dc=example,dc=test`] }
}
