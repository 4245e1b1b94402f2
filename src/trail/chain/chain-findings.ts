import type { ChainState } from './chain.ts'
import { trustedHead } from './chain-head.ts'
import type { ChainSigner } from './chain-key.ts'
import type { ChainRecord } from './chain-line.ts'

/** What a gateway found wrong with a trail that it opened. The signed record that opens the file keeps it. */
export type Finding =
  /** The trail has lines, and no head. */
  | 'head-missing'
  | 'head-rejected'
  /** The trail ends before its head, or before the last line of this process. */
  | 'end-missing'
  /** Text that no gateway wrote: it has no line end, so that it seems to come from a crash. */
  | 'text-added'

const MESSAGES: Readonly<Record<Finding, string>> = {
  'head-missing':
    'the head of the trail was missing when the gateway opened it here: lines before may have been removed',
  'head-rejected':
    'the head of the trail was not valid when the gateway opened it here: lines before may have been removed',
  'end-missing': 'lines before this one were missing when the gateway opened the trail here',
  'text-added': 'this text was added while the gateway did not write; it is no event',
}

/** Why the record that opens a file shows tampering; null where it does not. `last` is the line before it. */
export function findingsOf(
  { found, head }: ChainRecord,
  signers: readonly ChainSigner[],
  last: ChainState | null,
): string | null {
  for (const name of found?.split(',') ?? []) {
    // The verification has all lines up to this one: log rotation had renamed their file.
    if (name === 'end-missing' && last !== null) continue
    if (name === 'head-rejected' && head !== undefined && isOfOlderSecret(head, signers, last)) continue
    return MESSAGES[name as Finding] ?? `the gateway found this trail to be changed when it opened it here: ${name}`
  }
  return null
}

/**
 * The gateway has one secret: after a change of it, it can not accept the head that it wrote before. A verification has both
 * secrets, unless retention has removed all lines of the older one.
 */
function isOfOlderSecret(encoded: string, signers: readonly ChainSigner[], last: ChainState | null): boolean {
  if (last === null) return true
  const head = trustedHead(Buffer.from(encoded, 'base64url').toString('latin1'), null, signers)
  return typeof head !== 'string' && head.number <= last.number
}
