import type { Transport, TransportEnv } from '#durable-queue'
import type { TransportPlan } from '#schema'

type Open = (plan: never, env: TransportEnv) => Transport

/** Transports by the type of their plan, loaded with the first handler that needs one: clients and protocols take memory. */
const TRANSPORTS: Readonly<Record<string, () => Promise<Open>>> = {
  file: async () => (await import('./file/file-transport.ts')).openFiles,
  jms: async () => (await import('./jms/jms-transport.ts')).openJms,
  kafka: async () => (await import('./kafka/kafka-transport.ts')).openKafka,
  otlp: async () => (await import('./otlp/otlp-transport.ts')).openOtlp,
  stdout: async () => {
    const { openStdout } = await import('./stdout/stdout-transport.ts')
    return () => openStdout()
  },
  syslog: async () => (await import('./syslog/syslog-transport.ts')).openSyslog,
}

/** Opens the destination of a plan; connections are made with the first records. */
export async function openTransport(plan: TransportPlan, env: TransportEnv): Promise<Transport> {
  const load = Object.hasOwn(TRANSPORTS, plan.type) ? TRANSPORTS[plan.type] : undefined
  if (load === undefined) throw new Error(`unknown transport "${plan.type}"`)
  const open = await load()
  return open(plan as never, env)
}
