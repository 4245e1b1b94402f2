import { Refusal } from '#crest'
import { nameProblems } from '#files'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { type Labels, labelsProblem, pathProblem } from '#releases'
import type { ReleaseProblem } from '../instance-status.ts'

const MEMBERS = new Set(['files', 'note', 'only', 'parent'])
const HASH = /^[0-9a-f]{64}$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Problems in one response. */
const MAX_PROBLEMS = 100

/** A release to make. */
export interface ReleaseRequest {
  /** Contents, or the hash of a known one, by path. */
  readonly files: ReadonlyMap<string, Buffer | { readonly sha256: string }>
  readonly note: string | null
  readonly only: Labels | null
  /** The release that has to be current, null for none; undefined for any. */
  readonly parent: number | null | undefined
}

/** The release in a body. */
export function releaseRequest(body: JsonObject): ReleaseRequest | Refusal {
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    return new Refusal(400, `${JSON.stringify(unknown.slice(0, 40))}: expected only ${[...MEMBERS].join(', ')}`)
  const { files, note = null, only = null, parent } = body
  if (!isPlainObject(files)) return new Refusal(400, 'files: expected an object with the content of each path')
  if (note !== null && typeof note !== 'string') return new Refusal(400, 'note: expected a text')
  if (parent !== undefined && parent !== null && !(typeof parent === 'number' && Number.isSafeInteger(parent)))
    return new Refusal(400, 'parent: expected the number of a release, or null for none')
  const labels = only === null ? null : labelsIn(only)
  if (labels instanceof Refusal) return labels
  const problems: ReleaseProblem[] = []
  const contents = new Map<string, Buffer | { readonly sha256: string }>()
  for (const [path, value] of Object.entries(files)) {
    const content = contentIn(value as JsonValue)
    const message = pathProblem(path) ?? (typeof content === 'string' ? content : null)
    if (message !== null) problems.push({ file: path.slice(0, 256), message })
    else contents.set(path, content as Buffer | { readonly sha256: string })
  }
  for (const [path, message] of nameProblems(contents.keys())) problems.push({ file: path, message })
  return problems.length > 0 ? invalidRelease(problems) : { files: contents, note, only: labels, parent }
}

/** 400 with the problems by file. */
export function invalidRelease(problems: readonly ReleaseProblem[]): Refusal {
  const list = problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem }))
  const more = problems.length > MAX_PROBLEMS ? `; the first ${MAX_PROBLEMS} of ${problems.length} problems` : ''
  return new Refusal(400, `the release does not validate; nothing has changed${more}`, { detail: { problems: list } })
}

function labelsIn(only: JsonValue): Labels | Refusal {
  const isMap = isPlainObject(only) && Object.values(only).every((value) => typeof value === 'string')
  if (!isMap) return new Refusal(400, 'only: expected labels, such as { "stage": "canary" }')
  const problem = labelsProblem(only as Labels)
  return problem === null ? (only as Labels) : new Refusal(400, `only: expected ${problem}`)
}

/** A text says what is wrong. */
function contentIn(value: JsonValue): Buffer | { readonly sha256: string } | string {
  if (typeof value === 'string')
    return value.isWellFormed() ? Buffer.from(value) : 'expected Unicode text, got half of a surrogate pair'
  const expected = 'expected a text, { "base64": "..." } or { "sha256": "..." }'
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return expected
  const { base64, sha256 } = value as JsonObject
  if (typeof sha256 === 'string' && HASH.test(sha256)) return { sha256 }
  return typeof base64 === 'string' && BASE64.test(base64) ? Buffer.from(base64, 'base64') : expected
}
