import type { JsonObject } from '#json'
import type { QueuedRecord } from '../../src/durable-queue/delivery/transport.ts'

/** An access event of a request that a filter refused. */
export function accessEvent(fields: JsonObject = {}): JsonObject {
  return {
    _id: '0d9c1f9c-5f0f-4a43-8f0e-0e5b0c3a2f10-7',
    timestamp: '2026-11-16T01:02:03.456Z',
    eventName: 'GATEWAY-HTTP-ACCESS',
    transactionId: 'b6a5e1f2-0a3c-4a51-9d63-8f0f1f7c0b11-0',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    userId: 'bjensen',
    client: { ip: '192.0.2.7', port: 50_123 },
    server: { ip: '192.0.2.1', port: 8443 },
    http: {
      request: {
        secure: true,
        method: 'GET',
        path: 'https://app.example.com:8443/reports/7',
        headers: { 'user-agent': ['curl/8.5'], host: ['app.example.com:8443'] },
      },
    },
    response: { status: 'FAILED', statusCode: '403', elapsedTime: 12, elapsedTimeUnits: 'MILLISECONDS' },
    gateway: {
      exchangeId: 'e-1',
      routeId: 'reports',
      routeName: 'reports',
      decision: { result: 'DENIED', by: 'PolicyEnforcementFilter', reason: 'no advice', policy: 'reports-read' },
    },
    ...fields,
  }
}

/** A change of a route. */
export function configChangeEvent(fields: JsonObject = {}): JsonObject {
  return {
    _id: '0d9c1f9c-5f0f-4a43-8f0e-0e5b0c3a2f10-8',
    timestamp: '2026-11-16T01:02:03.456Z',
    eventName: 'GATEWAY-CONFIG-CHANGE',
    transactionId: 't-2',
    userId: 'admin',
    authentication: 'basic',
    client: { ip: '2001:db8::1', port: 40_000 },
    request: { protocol: 'CREST', operation: 'UPDATE' },
    objectId: 'system/objects/_router/routes/reports',
    operation: 'UPDATE',
    previousRevision: 'aaa',
    revision: 'bbb',
    changedFields: ['/handler'],
    response: { status: 'SUCCESSFUL', statusCode: '200' },
    ...fields,
  }
}

/** Records as the delivery engine gives them to a transport. */
export function auditRecords(
  count: number,
  text: (index: number) => string = (index) => `event ${index}`,
): QueuedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    topic: 'access',
    id: `id-${index}`,
    text: text(index),
    time: 1_763_255_000_000 + index,
  }))
}
