import { connect } from 'node:http2'
import { tlsConnectOptions } from '#audit'
import { failureOf, type Probe, type ProbeFailure, portOf, USER_AGENT } from './probe.ts'

const SERVING = 1
const SERVICE_UNKNOWN = 3
/** gRPC status NOT_FOUND: the server does not know the service. */
const NOT_FOUND = '5'

/** `grpc.health.v1.Health/Check` (gRPC Health Checking Protocol). */
export const grpcProbe: Probe = (url, plan, tls) =>
  new Promise((resolve) => {
    const target = new URL(url)
    target.port = String(portOf(url, plan))
    const session = connect(target.origin, url.protocol === 'https:' ? tlsConnectOptions(tls) : {})
    const end = (failure: ProbeFailure): void => {
      clearTimeout(timer)
      session.destroy()
      resolve(failure)
    }
    const timer = setTimeout(() => end({ reason: 'timeout', detail: 0 }), plan.timeout)
    session.on('error', (error) => end(failureOf(error)))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': USER_AGENT,
      te: 'trailers',
    })
    const chunks: Buffer[] = []
    let status = ''
    stream.on('response', (headers) => {
      status = String(headers['grpc-status'] ?? '')
    })
    stream.on('trailers', (trailers) => {
      status = String(trailers['grpc-status'] ?? status)
    })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', (error) => end(failureOf(error)))
    stream.on('end', () => {
      const state = status === NOT_FOUND ? SERVICE_UNKNOWN : stateOf(Buffer.concat(chunks))
      end(state === SERVING ? null : { reason: 'grpc', detail: state })
    })
    stream.end(checkRequest(plan.service))
  })

/** A message with its prefix: the name of the service is field 1. */
function checkRequest(service: string): Buffer {
  const name = Buffer.from(service)
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name])
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** The enumerated value in field 1; 0, unknown, where it is not there. */
function stateOf(bytes: Buffer): number {
  const message = bytes.subarray(5)
  return message[0] === 0x08 ? (message[1] ?? 0) : 0
}
