import type { Family } from '../settings.ts'
import type { Grant } from '../state/tokens.ts'

/** `sub` of a token: with the kind of subject at PingAM, only its name at OpenAM. */
export function subjectOf({ subject }: Grant, family: Family): string {
  if (family === 'openam') return subject.name
  return `(${subject.kind === 'user' ? 'usr' : 'age'}!${subject.name})`
}
