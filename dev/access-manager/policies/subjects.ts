import type { Session } from '../state/sessions.ts'

/** Subject of a policy. */
export type Subject =
  | { readonly type: 'AuthenticatedUsers' | 'NONE' }
  | { readonly type: 'Identity'; readonly subjectValues: readonly string[] }
  | { readonly type: 'JwtClaim'; readonly claimName: string; readonly claimValue: string }
  | { readonly type: 'AND' | 'OR'; readonly subjects: readonly Subject[] }
  | { readonly type: 'NOT'; readonly subject: Subject }

/** The requester: a session, claims of a token, or both. */
export interface Requester {
  readonly session: Session | null
  readonly claims: Readonly<Record<string, unknown>> | null
}

/** Whether the subject of a policy matches this requester. A policy without a subject matches none. */
export function isAbout(subject: Subject | undefined, who: Requester): boolean {
  switch (subject?.type) {
    case undefined:
    case 'NONE':
      return false
    case 'AuthenticatedUsers':
      return who.session !== null
    case 'Identity':
      return who.session !== null && subject.subjectValues.includes(who.session.universalId)
    case 'JwtClaim':
      return who.claims !== null && String(who.claims[subject.claimName]) === subject.claimValue
    case 'AND':
      return subject.subjects.every((part) => isAbout(part, who))
    case 'OR':
      return subject.subjects.some((part) => isAbout(part, who))
    case 'NOT':
      return !isAbout(subject.subject, who)
  }
}

/** Throws with the reason unless a value is a subject. */
export function checkSubject(value: unknown): asserts value is Subject {
  const { type, subjects, subject, subjectValues, claimName } = (value ?? {}) as Record<string, unknown>
  switch (type) {
    case 'AuthenticatedUsers':
    case 'NONE':
      return
    case 'Identity':
      if (!Array.isArray(subjectValues)) throw new Error('subject: Identity wants subjectValues')
      return
    case 'JwtClaim':
      if (typeof claimName !== 'string') throw new Error('subject: JwtClaim wants claimName and claimValue')
      return
    case 'AND':
    case 'OR':
      if (!Array.isArray(subjects)) throw new Error(`subject: ${type} wants subjects`)
      subjects.forEach(checkSubject)
      return
    case 'NOT':
      return checkSubject(subject)
    default:
      throw new Error(`subject: no such type ${JSON.stringify(type)}`)
  }
}
