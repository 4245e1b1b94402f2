const GRPC_STATES = ['unknown', 'serving', 'not serving', 'unknown service']

/** Why a server has its state; the number in the memory is the position here. */
const TEXTS = {
  none: () => '',
  joined: () => 'no health check has ended',
  unchecked: () => 'it has no health check',
  passed: () => 'its health checks succeed',
  status: (status) => `its health check got the status ${status}`,
  body: () => 'its health check got another body than expected',
  timeout: () => 'its health check got no response in time',
  refused: () => 'its health check could not connect',
  name: () => 'the name of the server was not resolved',
  certificate: () => 'its certificate was rejected',
  protocol: () => 'its health check got a response that is not valid',
  grpc: (state) => `its gRPC health is "${GRPC_STATES[state] ?? state}"`,
  failures: (count) => `${count} requests in a row failed`,
  ejectionEnded: () => 'the time of its ejection is over',
  drained: () => 'drained by an administrator',
  ejectedByAdmin: () => 'ejected by an administrator',
  enabled: () => 'enabled by an administrator',
} as const satisfies Record<string, (detail: number) => string>

/** A cause of a state. */
export type Reason = keyof typeof TEXTS

const NAMES = Object.keys(TEXTS) as Reason[]

export function numberOf(reason: Reason): number {
  return NAMES.indexOf(reason)
}

export function reasonText(number: number, detail: number): string {
  const text: (detail: number) => string = TEXTS[NAMES[number] ?? 'none']
  return text(detail)
}
