import type { TransportPlan } from '#schema'
import type { Transport, TransportEnv } from '../delivery/transport.ts'
import { type FilesPlan, openFiles } from './file/file-transport.ts'
import { type JmsPlan, openJms } from './jms/jms-transport.ts'
import type { KafkaPlan } from './kafka/kafka-plan.ts'
import { openKafka } from './kafka/kafka-transport.ts'
import { type OtlpPlan, openOtlp } from './otlp/otlp-transport.ts'
import { openStdout } from './stdout/stdout-transport.ts'
import type { SyslogPlan } from './syslog/syslog-plan.ts'
import { openSyslog } from './syslog/syslog-transport.ts'

/** Opens the destination of a plan; connections are made with the first records. */
export function openTransport(plan: TransportPlan, env: TransportEnv): Transport {
  switch (plan.type) {
    case 'file':
      return openFiles(plan as TransportPlan & FilesPlan, env)
    case 'jms':
      return openJms(plan as TransportPlan & JmsPlan, env)
    case 'kafka':
      return openKafka(plan as TransportPlan & KafkaPlan, env)
    case 'otlp':
      return openOtlp(plan as TransportPlan & OtlpPlan, env)
    case 'stdout':
      return openStdout()
    case 'syslog':
      return openSyslog(plan as TransportPlan & SyslogPlan, env)
    default:
      throw new Error(`unknown transport "${plan.type}"`)
  }
}
