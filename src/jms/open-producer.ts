import { openAmqpLink } from './amqp/amqp-link.ts'
import { FailoverProducer } from './failover-producer.ts'
import { openOpenWireLink } from './openwire/openwire-link.ts'
import type { JmsProducer, ProducerEnv } from './producer.ts'
import type { ProducerPlan } from './producer-plan.ts'

/** A producer for the plan. It connects with the first message. */
export function openProducer(plan: ProducerPlan, env: ProducerEnv): JmsProducer {
  const open = plan.connection.protocol === 'amqp' ? openAmqpLink : openOpenWireLink
  return new FailoverProducer(plan.connection, env, (endpoint, signal) => open(plan, env, endpoint, signal))
}
