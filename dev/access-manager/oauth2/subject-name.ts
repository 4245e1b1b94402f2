import type { Family } from '../settings.ts'
import type { Grant } from '../state/tokens.ts'

/** `sub` of a token: PingAM says what kind of subject it is, OpenAM only its name. */
export function subjectOf({ subject }: Grant, family: Family): string {
  if (family === 'openam') return subject.name
  return `(${subject.kind === 'user' ? 'usr' : 'age'}!${subject.name})`
}
