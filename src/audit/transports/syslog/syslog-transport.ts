import type { Transport, TransportEnv } from '#durable-queue'
import { DatagramTransport } from './datagram-transport.ts'
import { StreamTransport } from './stream-transport.ts'
import type { SyslogPlan } from './syslog-plan.ts'

/** A syslog receiver. The text of a record is a whole message of RFC 5424. */
export function openSyslog(plan: SyslogPlan, env: TransportEnv): Transport {
  return plan.protocol === 'UDP' ? new DatagramTransport(plan, env) : new StreamTransport(plan, env)
}
