import { FailoverProducer } from './failover-producer.ts'
import { openOpenWireLink } from './openwire/openwire-link.ts'
import type { JmsProducer, ProducerEnv } from './producer.ts'
import type { ProducerPlan } from './producer-plan.ts'

/** A producer for the plan. It connects with the first message. */
export function openProducer(plan: ProducerPlan, env: ProducerEnv): JmsProducer {
  return new FailoverProducer(plan.connection, env, (endpoint, signal) => openOpenWireLink(plan, env, endpoint, signal))
}
