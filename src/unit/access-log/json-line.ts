import { isoTime, jsonContent, jsonString, lastText } from '#logging'
import type { AccessEntry } from './access-entry.ts'

/**
 * Formats entries as JSON. One template, in which only values of clients are escaped for each line: others, such as names of
 * routes and objects, are mostly those of the line before.
 */
export function jsonLines(): (entry: AccessEntry) => string {
  const timeOf = lastText(timeText, 0, null)
  const hostOf = lastText(hostText, '', '')
  const statusOf = lastText(statusText, 0, 'sent')
  const upstreamOf = lastText(upstreamText, null, null)
  const routeOf = lastText(routeText, null, null)
  const decisionOf = lastText(decisionText, null, null)
  const clientOf = lastText(clientText, '', null)
  const protocolOf = lastText(protocolText, null, null)
  // Ids of transactions (TransactionId) and traces have no character that JSON escapes.
  return (entry) => {
    const { upstreamDurationMs: upstream, path, traceId } = entry
    return `${timeOf(entry.time, null)}${hostOf(entry.method, entry.host)}${
      path === null ? 'null' : `"${jsonContent(path)}"`
    }${statusOf(entry.status, entry.end)}${entry.bytes},"durationMs":${tenths(entry.durationMs)},"upstreamDurationMs":${
      upstream === null ? 'null' : tenths(upstream)
    }${upstreamOf(entry.upstream, entry.upstreamFailure)}${routeOf(entry.route, null)}${decisionOf(entry.decidedBy, entry.reason)}${clientOf(entry.client, entry.user)}${protocolOf(
      entry.protocol,
      entry.tls,
    )}${entry.transactionId}${traceId === null ? '","traceId":null}\n' : `","traceId":"${traceId}"}\n`}`
  }
}

function timeText(time: number): string {
  return `{"level":"info","time":"${isoTime(time)}`
}

/** From the time to the path. */
function hostText(method: string | null, host: string | null): string {
  return `","logger":"access","method":${textOrNull(method)},"host":${textOrNull(host)},"path":`
}

/** From the path to the bytes. */
function statusText(status: number | null, end: AccessEntry['end']): string {
  return `,"status":${status}${end === 'sent' ? '' : `,"end":"${end}"`},"bytes":`
}

function upstreamText(address: string | null, failure: string | null): string {
  return `,"upstream":${textOrNull(address)}${failure === null ? '' : `,"upstreamFailure":"${failure}"`}`
}

function routeText(route: string | null): string {
  return `,"route":${textOrNull(route)}`
}

function decisionText(by: string | null, reason: string | null): string {
  if (by === null) return ',"decidedBy":null'
  return `,"decidedBy":{"object":${jsonString(heapName(by))},"reason":${textOrNull(reason)}}`
}

function clientText(client: string, user: string | null): string {
  return `,"client":${jsonString(client)},"user":${textOrNull(user)}`
}

/** Up to the transaction id. */
function protocolText(protocol: string | null, tls: string | null): string {
  return `,"protocol":${textOrNull(protocol)},"tls":${textOrNull(tls)},"transactionId":"`
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : jsonString(text)
}

/** The last part of a qualified name, such as `gateway+_router+shop+Limit`. */
export function heapName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('+') + 1)
}

/** Texts of durations below 100 ms. */
const SHORT = 1_000
const shortDurations: string[] = Array.from({ length: SHORT }, (_, count) => tenthsText(count))

/** Milliseconds with one decimal. */
function tenths(milliseconds: number): string {
  const count = Math.round(milliseconds * 10)
  return shortDurations[count] ?? tenthsText(count)
}

/** Formatting integers costs less than formatting fractions. */
function tenthsText(count: number): string {
  return count % 10 === 0 ? `${count / 10}` : `${Math.floor(count / 10)}.${count % 10}`
}
