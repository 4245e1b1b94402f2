import type { AmSession } from '#contracts'
import { type Response, respondUnavailable } from '#http'
import type { LogEvent } from '#logging'
import type { RedirectionMarker } from '../../lib/login/redirection-marker.ts'
import type { FlowState } from './flow.ts'

/** State of a filter that redirects requests without a session to the login page of an access manager. */
export interface SignOnState extends FlowState {
  readonly settings: { readonly marker: RedirectionMarker }
  /** Whether the browser returns from the login page. */
  isReturn: boolean
  session: AmSession | null
}

export function removeMarker(state: SignOnState): void {
  state.isReturn = state.settings.marker.removeFrom(state.exchange.request.uri)
}

export function clearMarker({ exchange, settings }: SignOnState): Response | null {
  return settings.marker.redirectWithout(exchange)
}

export function hasNoSession({ session }: SignOnState): boolean {
  return session === null
}

/** The user has logged in, but the request has no session: another redirect would start a loop. */
export function isLoop({ session, isReturn }: SignOnState): boolean {
  return session === null && isReturn
}

/** The response to a session lookup that failed. */
export function unavailable(event: LogEvent): (error: Error, state: FlowState) => Response {
  return (error, { exchange, logger }) => {
    logger.limited().error({ error, ...exchange.ids }, event)
    return respondUnavailable()
  }
}
