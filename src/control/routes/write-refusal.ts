import { Refusal } from '#crest'
import type { RefusedWrite } from './edits.ts'

/** Seconds after which a client may try again. */
const RETRY = { headers: { 'Retry-After': '5' } }

/** The response to a change that the store did not take. */
export function refusalOfWrite(outcome: RefusedWrite): Refusal {
  switch (outcome.state) {
    case 'conflict':
      return new Refusal(412, 'another gateway or process changed it at the same time; read it again')
    case 'unavailable':
      return new Refusal(
        503,
        `the configuration store can not be written: ${outcome.reason}; nothing has changed`,
        RETRY,
      )
    case 'unknown':
      return new Refusal(
        503,
        `the configuration store did not answer: ${outcome.reason}; the outcome is unknown. /api/system/releases shows whether the change was made when the store answers`,
        RETRY,
      )
    case 'blocked':
      return new Refusal(409, `${outcome.reason}; nothing has changed`)
    case 'too-large':
      return new Refusal(
        413,
        `the release would have ${outcome.bytes} bytes; at most ${outcome.limit} are allowed (maxReleaseSize of the store). Nothing has changed`,
      )
  }
}
