import type { MetricSample } from '#contracts'
import { commonRest, crestError } from '#crest'
import { chain, type Exchange, type Handler, type Response } from '#http'
import type { Logger } from '#logging'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { metricsCollection } from '../monitoring/metrics-collection.ts'
import { type AdminProtection, protectedBy } from './admin-protection.ts'
import { ADMIN_SECURITY, type AdminCredentials, authenticate } from './authentication.ts'
import { callerChecks } from './caller-checks.ts'
import { type Health, healthHandler, isHealthPath } from './health.ts'
import { indexHandler } from './index-page.ts'
import { recordRefusals } from './recorded-refusals.ts'
import { isScrapePath, scrapeHandler } from './scrape.ts'
import { API_LIMITS, LogInAttempts } from './studio/log-in-attempts.ts'
import { isLoginPath, isSessionPath, type StudioAccess, studioLogin } from './studio/studio-access.ts'
import { isPagePath } from './studio/studio-pages.ts'

/** Path of the metrics as a Common REST collection. */
const METRICS = '/metrics/api'

/** Dependencies of the management API. */
interface AdminApi {
  readonly version: string
  readonly prefix: string
  readonly ownHost: string
  readonly allowedHosts: readonly string[]
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  readonly credentials: AdminCredentials
  readonly clock: Pick<Clock, 'monotonic'>
  /** Protects the API instead of the admin credentials, where configured. */
  readonly protection: AdminProtection | null
  /** Protects the metrics instead, where configured. */
  readonly metricsProtection: AdminProtection | null
  /** Protects the pages of the Studio, where configured. */
  readonly studioProtection: AdminProtection | null
  readonly health: Health
  readonly logger: Logger
  /** Endpoints below `/api`. */
  readonly system: Handler
  /** The Studio; null where it is switched off. */
  readonly studio: StudioAccess | null
  /** Metrics of all units. */
  metrics(): Promise<readonly MetricSample[]>
}

/** The handler of the management connector: health without credentials, all other paths after the checks of decisions 3. */
export function adminApi(api: AdminApi): Handler {
  const health = healthHandler(api.health)
  const scrape = scrapeHandler(() => api.metrics())
  const metrics = commonRest(
    metricsCollection(() => api.metrics()),
    { base: METRICS, security: api.protection === null ? ADMIN_SECURITY : null },
  )
  const index = indexHandler({ ...api, hasStudio: api.studio !== null })
  const endpoints: Handler = async (exchange) => {
    const { path, rawPath } = exchange.request.uri
    if (rawPath === '/') return index(exchange)
    if (isScrapePath(path)) return scrape(exchange)
    return rawPath === METRICS || rawPath.startsWith(`${METRICS}/`) ? metrics(exchange) : endpoint(api, exchange)
  }
  const attempts = new LogInAttempts(api.clock, API_LIMITS)
  const parts = { credentials: api.credentials, attempts, logger: api.logger }
  const guarded =
    api.protection === null
      ? chain(
          [authenticate({ ...api, attempts, isOpenToLoopback: isMetricsPath, sessions: api.studio?.sessions ?? null })],
          endpoints,
        )
      : protectedBy(api.protection, endpoints, parts)
  const guardedMetrics = api.metricsProtection === null ? guarded : protectedBy(api.metricsProtection, endpoints, parts)
  const pages: Handler = async (exchange) =>
    api.studio?.pages(exchange) ?? crestError(404, `there is nothing at ${exchange.request.uri.path}`)
  const guardedPages = api.studioProtection === null ? pages : protectedBy(api.studioProtection, pages, parts)
  /** A browser without credentials goes to the Studio, which has a log-in page. */
  const indexOrStudio: Handler = async (exchange) => {
    const response = await guarded(exchange)
    const isAnonymous = response.status === 401 && !exchange.request.headers.has('authorization')
    return isAnonymous && api.studio !== null ? guardedPages(exchange) : response
  }
  const inside: Handler = async (exchange) => {
    const rooted = withoutPrefix(exchange, api.prefix)
    const { path, rawPath } = rooted.request.uri
    if (isHealthPath(path)) return health(rooted)
    if (rawPath === '/') return indexOrStudio(rooted)
    if (isPagePath(path)) return guardedPages(rooted)
    if (api.studio !== null && isSessionPath(rawPath)) return api.studio.session.handler(rooted)
    return isMetricsPath(path) ? guardedMetrics(rooted) : guarded(rooted)
  }
  return recordRefusals(chain([callerChecks(api.ownHost, api.allowedHosts)], inCommonRest(inside, api.logger)))
}

/** Responds to faults in the error format of the API, without the reason, which may name files (threats B86). */
function inCommonRest(handler: Handler, logger: Logger): Handler {
  return async (exchange) => {
    try {
      return await handler(exchange)
    } catch (error) {
      const fields = { error, ...exchange.ids }
      logger.limited(fields.transactionId).error(fields, EVENTS.REQUEST_FAILED)
      return crestError(500, 'the request failed; the log says why')
    }
  }
}

async function endpoint(api: AdminApi, exchange: Exchange): Promise<Response> {
  const { path, rawPath } = exchange.request.uri
  if (api.studio !== null && isLoginPath(rawPath)) return studioLogin(exchange)
  if (rawPath === '/api' || rawPath.startsWith('/api/')) return api.system(exchange)
  return crestError(404, `there is nothing at ${path}`)
}

/** Callers on the same machine read metrics without credentials (decisions 3). */
function isMetricsPath(path: string): boolean {
  return path === '/metrics' || path.startsWith('/metrics/')
}

/** Endpoints are served at `/x` and at `/<prefix>/x`. */
function withoutPrefix(exchange: Exchange, prefix: string): Exchange {
  const { uri } = exchange.request
  const isPrefix = uri.rawPath === `/${prefix}`
  if (!isPrefix && !uri.rawPath.startsWith(`/${prefix}/`)) return exchange
  const request = exchange.request.clone()
  request.uri = uri.clone()
  request.uri.rawPath = isPrefix ? '/' : uri.rawPath.slice(prefix.length + 1)
  return exchange.withRequest(request)
}
