import { connect } from 'node:net'
import { withoutBrackets } from '#http'
import { failureOf, type Probe, type ProbeFailure, portOf } from './probe.ts'

/** Whether the server accepts a connection. */
export const tcpProbe: Probe = (url, plan) =>
  new Promise((resolve) => {
    const socket = connect({ host: withoutBrackets(url.hostname), port: portOf(url, plan), timeout: plan.timeout })
    const end = (failure: ProbeFailure): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.once('connect', () => end(null))
    socket.once('timeout', () => end({ reason: 'timeout', detail: 0 }))
    socket.on('error', (error) => end(failureOf(error)))
  })
