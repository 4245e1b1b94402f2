import type { JsonValue } from '#json'

/** Claims that make the assertion what it is: they are the gateway's own to write (RFC 7523 section 3, threats B48, spec gap 165). */
const OWN: readonly string[] = ['iss', 'sub', 'jti', 'iat', 'exp']

/** Something wrong with a claim, or with all of them where the name is empty. */
interface ClaimProblem {
  readonly name: string
  readonly problem: string
}

/**
 * What is wrong with the further claims of a configuration. `aud` may be among them: servers that follow later advice want
 * their issuer there in place of the token endpoint.
 */
export function claimsProblems(claims: Readonly<Record<string, JsonValue>>): readonly ClaimProblem[] {
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
