import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tlsConnectOptions } from '#audit'
import { withoutBrackets } from '#http'
import { failureOf, type Probe, portOf, USER_AGENT } from './probe.ts'

/** A request whose status must be expected. Redirects are not followed. */
export const httpProbe: Probe = (url, plan, tls) =>
  new Promise((resolve) => {
    const isSecure = url.protocol === 'https:'
    const options = {
      host: withoutBrackets(url.hostname),
      port: portOf(url, plan),
      method: plan.method,
      path: plan.path,
      agent: false,
      signal: AbortSignal.timeout(plan.timeout),
      headers: { 'user-agent': USER_AGENT, host: plan.host ?? url.host, connection: 'close' },
    } as const
    const request = isSecure ? secureRequest({ ...options, ...tlsConnectOptions(tls) }) : plainRequest(options)
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response
      response.destroy()
      const isExpected = plan.expectedStatuses.some(([from, to]) => status >= from && status <= to)
      resolve(isExpected ? null : { reason: 'status', detail: status })
    })
    request.on('error', (error) => {
      resolve(
        error.name === 'AbortError' || error.name === 'TimeoutError'
          ? { reason: 'timeout', detail: 0 }
          : failureOf(error),
      )
    })
    request.end()
  })
