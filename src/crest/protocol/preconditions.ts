import type { Headers } from '#http'
import { RequestError } from './refusal.ts'

/** Version preconditions of a request. */
interface Preconditions {
  /** `If-Match`: a revision or `*`; null where missing. */
  readonly ifMatch: string | null
  /** `If-None-Match`: revisions or `*`; null where missing. */
  readonly ifNoneMatch: readonly string[] | '*' | null
}

/** The headers that a verb accepts (field-notes 5.2); others are rejected, not ignored. */
interface AllowedPreconditions {
  readonly ifMatch: boolean
  /** `any`: only the value `*`, for a create. */
  readonly ifNoneMatch: 'none' | 'any' | 'revisions'
}

/** Parses the version headers and rejects those that the verb does not accept. */
export function readPreconditions(headers: Headers, taken: AllowedPreconditions): Preconditions {
  for (const name of ['If-Modified-Since', 'If-Unmodified-Since']) {
    if (headers.has(name))
      throw new RequestError(409, `${name} is not supported; use revisions with If-Match and If-None-Match`)
  }
  const ifMatch = tagsOf(headers.all('if-match'), 'If-Match')
  const ifNoneMatch = tagsOf(headers.all('if-none-match'), 'If-None-Match')
  if (ifMatch !== null && !taken.ifMatch) throw new RequestError(412, 'If-Match can not be used here')
  if (ifMatch !== null && ifMatch !== '*' && ifMatch.length > 1) {
    throw new RequestError(400, 'If-Match: expected one revision, or *')
  }
  if (ifNoneMatch !== null) checkIfNoneMatch(ifNoneMatch, taken)
  if (ifMatch !== null && ifNoneMatch !== null) {
    throw new RequestError(412, 'If-Match and If-None-Match can not be used together')
  }
  return { ifMatch: ifMatch === '*' ? '*' : (ifMatch?.[0] ?? null), ifNoneMatch }
}

function checkIfNoneMatch(tags: readonly string[] | '*', taken: AllowedPreconditions): void {
  if (taken.ifNoneMatch === 'none') throw new RequestError(412, 'If-None-Match can not be used here')
  if (taken.ifNoneMatch === 'any' && tags !== '*') throw new RequestError(400, 'If-None-Match: expected *')
  if (taken.ifNoneMatch === 'revisions' && tags === '*') {
    throw new RequestError(412, 'If-None-Match: expected a revision; * means nothing for a read')
  }
}

/** Revisions without the quotes of entity tags, or `*`; null without the header. */
function tagsOf(values: readonly string[], name: string): readonly string[] | '*' | null {
  if (values.length === 0) return null
  const text = values.join(',').trim()
  if (text === '*') return '*'
  const tags = text.split(',').map((part) => /^(?:W\/)?(?:"([^"*]{1,256})"|([^\s"*]{1,256}))$/.exec(part.trim()))
  if (tags.some((tag) => tag === null)) throw new RequestError(400, `${name}: expected a revision, or *`)
  return tags.map((tag) => (tag?.[1] ?? tag?.[2]) as string)
}
