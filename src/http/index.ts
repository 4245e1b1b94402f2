export type { AccessAuditor, RefusedRequest, RequestLine } from './access-auditor.ts'
export type { AccessLog, LoggedConnection, LoggedRequest } from './access-log.ts'
export { ActiveList, type ActiveListItem } from './active-list.ts'
export { equalsIgnoreCase, sameManagedName } from './ascii.ts'
export { AuditExtensions } from './audit-extensions.ts'
export { Body } from './body.ts'
export { BodyCancelledError, BodyConsumedError, BodyNotBufferedError, BodyTooLargeError } from './body-errors.ts'
export type { BodyControl, BodySink, BodySource } from './body-flow.ts'
export { type ClientInfo, networkOf, plainAddress } from './client-info.ts'
export { equalsConstantTime } from './constant-time.ts'
export { ContentCodingError, decodeContent } from './content-coding.ts'
export { mediaType } from './content-type.ts'
export { type ContextKey, type ContextLink, contextKey } from './context-link.ts'
export { BUILT_IN_CONTEXTS, RouterContext, type RouterInfo } from './contexts.ts'
export { type Cookie, formatSetCookie, InvalidCookieError, parseCookieHeader, parseSetCookie } from './cookies.ts'
export { isCrossOrigin } from './cross-origin.ts'
export { startDeadline } from './deadline.ts'
export { effectiveUri } from './effective-uri.ts'
export { Entity, type Message, setEntity } from './entity.ts'
export { DEFAULT_ENTITY_LIMITS, type EntityLimits, EntityTooLargeError, NO_ENTITY_LIMITS } from './entity-limits.ts'
export { acceptedFormat, errorDetail } from './error-content.ts'
export { type ErrorResponses, presentError } from './error-responses.ts'
export { Exchange, type ExchangeInit } from './exchange.ts'
export { EXCHANGE_NAMES, exchangeScope } from './exchange-scope.ts'
export type { InformationalSender } from './exchange-state.ts'
export { type Form, formatForm, formatQuery, parseForm, TooManyFieldsError } from './form.ts'
export { escapeHtml, type GatewayPage, PAGE_HEADERS, pageHtml, pageResponse } from './gateway-page.ts'
export { chain, type Filter, type Handler } from './handler.ts'
export { dashedName } from './header-alias.ts'
export { HeaderEncodingError, Headers, InvalidHeaderError } from './headers.ts'
export { fieldsNamedInConnection, isConnectionField, isHopByHop, namesFields, removeHopByHop } from './hop-by-hop.ts'
export { type Authority, parseAuthority, parsePort, withoutBrackets } from './host-name.ts'
export {
  InternalCallTimeoutError,
  type InternalResponse,
  internalCall,
} from './internal-call.ts'
export { internalExchange } from './internal-exchange.ts'
export { jsonCopy } from './json-copy.ts'
export { lazyMembers, loadLazyMembers, type WithLazyMembers } from './lazy-members.ts'
export {
  ADMIN_SESSION_COOKIE,
  isManagementCookie,
  studioCookieName,
  withoutManagementCookies,
} from './management-cookie.ts'
export { IDEMPOTENT_METHODS, isKnownMethod, methodAttribute, SAFE_METHODS } from './methods.ts'
export { plainValue, valueType } from './plain-value.ts'
export { isPublicSuffix } from './public-suffix.ts'
export { refusedPath } from './refused-path.ts'
export { Request } from './request.ts'
export {
  type AuditDecision,
  type AuditPublisher,
  CREST_OPERATIONS,
  type CrestOperation,
  type EventStorage,
  RequestAudit,
  type RequestOutcome,
} from './request-audit.ts'
export type { MeasuredRequest, RequestMeter } from './request-meter.ts'
export { type RequestObservation, type RequestObserver, UnauditedRequest } from './request-observer.ts'
export { normalizePath } from './request-path.ts'
export type { ReceivedTraceContext, RequestSpan, RequestTracer } from './request-tracer.ts'
export { type HeaderInit, Response, type ResponseInit, respond, respondUnavailable } from './response.ts'
export { SerialId, SerialIds } from './serial-id.ts'
export { type Session, transientSession } from './session.ts'
export type { LoginMoment, SessionRevocations } from './session-revocations.ts'
export type { ClientSpan, InternalSpan, Span, TraceFields } from './span.ts'
export { reasonPhrase, type StatusFamily, statusFamily } from './status.ts'
export { StatusError } from './status-error.ts'
export { isStreamCancelled, StreamCancelledError } from './stream-cancelled.ts'
export { StreamAbortedError } from './stream-source.ts'
export { type StorageLimits, TemporaryStorage } from './temporary-storage.ts'
export { isToken, TOKEN, TOKEN_CHARACTERS } from './token.ts'
export { traceIdOf } from './trace-id.ts'
export { TransactionId } from './transaction-id.ts'
export { endUpgraded, type Upgrade, type UpgradedConnection, watchUpgrade } from './upgrade.ts'
export { UpstreamTime } from './upstream-time.ts'
export { defaultPort, Uri, type UriParts } from './uri.ts'
export { InvalidUriError } from './uri-syntax.ts'
export { uuid } from './uuid.ts'
