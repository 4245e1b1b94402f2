import type { TransportPlan } from '#schema'
import type { Transport, TransportEnv } from '../delivery/transport.ts'
import { type JmsPlan, openJms } from './jms/jms-transport.ts'
import type { KafkaPlan } from './kafka/kafka-plan.ts'
import { openKafka } from './kafka/kafka-transport.ts'
import { type OtlpPlan, openOtlp } from './otlp/otlp-transport.ts'
import type { SyslogPlan } from './syslog/syslog-plan.ts'
import { openSyslog } from './syslog/syslog-transport.ts'

/** Opens the destination of a plan; connections are made with the first records. */
export function openTransport(plan: TransportPlan, env: TransportEnv): Transport {
  switch (plan.type) {
    case 'jms':
      return openJms(plan as TransportPlan & JmsPlan, env)
    case 'kafka':
      return openKafka(plan as TransportPlan & KafkaPlan, env)
    case 'otlp':
      return openOtlp(plan as TransportPlan & OtlpPlan, env)
    case 'syslog':
      return openSyslog(plan as TransportPlan & SyslogPlan, env)
    default:
      throw new Error(`unknown transport "${plan.type}"`)
  }
}
