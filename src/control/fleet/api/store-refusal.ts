import { Refusal } from '#crest'
import type { EtcdError } from '#etcd'
import type { ReleaseError, ReleaseOutcome } from '#releases'
import { refusalOfWrite } from '../../routes/write-refusal.ts'

const RETRY = { headers: { 'Retry-After': '5' } }

/** The store can not be read. */
export function storeRefusal(error: EtcdError | ReleaseError): Refusal {
  return new Refusal(503, `the configuration store can not be read: ${error.message}`, RETRY)
}

/** The response to a release that was not made; null where it was, or where nothing was to be changed. */
export function outcomeRefusal(outcome: ReleaseOutcome): Refusal | null {
  switch (outcome.state) {
    case 'done':
    case 'unchanged':
      return null
    case 'missing':
      return new Refusal(404, `there is no release ${outcome.release}`)
    case 'conflict':
      return new Refusal(409, 'another release is the current one now; nothing has changed')
    case 'unwritten':
      return new Refusal(503, `the release could not be written (${outcome.error.code ?? 'unknown error'})`, RETRY)
    default:
      return refusalOfWrite(outcome)
  }
}
