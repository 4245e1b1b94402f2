import type { JsonValue } from '#json'

/** Claims that only the gateway sets (RFC 7523 section 3, threats B48, spec gap 165). */
const OWN: readonly string[] = ['iss', 'sub', 'jti', 'iat', 'exp']

/** Problem of a claim, or of the whole map where the name is empty. */
interface ClaimProblem {
  readonly name: string
  readonly problem: string
}

/**
 * Problems of configured claims. `aud` may be among them: newer servers expect their issuer as the audience, not the token endpoint.
 */
function claimsProblems(claims: Readonly<Record<string, JsonValue>>): readonly ClaimProblem[] {
  const problems: ClaimProblem[] = []
  for (const name of OWN) {
    if (Object.hasOwn(claims, name)) problems.push({ name, problem: 'is written by the gateway itself; remove it' })
  }
  if (Object.hasOwn(claims, 'aud') && !isAudience(claims['aud'])) {
    problems.push({ name: 'aud', problem: 'expected a string or an array of strings that are not empty' })
  }
  return problems
}

function isAudience(value: JsonValue | undefined): boolean {
  const list = Array.isArray(value) ? value : [value]
  return list.length > 0 && list.every((each) => typeof each === 'string' && each !== '')
}

/** Reports the problems of configured claims. */
export function reportClaims(
  claims: Readonly<Record<string, JsonValue>>,
  report: (pointer: string, message: string) => void,
): void {
  for (const { name, problem } of claimsProblems(claims)) report(name === '' ? '/claims' : `/claims/${name}`, problem)
}
