import { AuditServiceKind } from '#contracts'
import { defineType } from '#schema'

/** An audit service that publishes nothing. */
export const NoOpAuditService = defineType({
  name: 'NoOpAuditService',
  kind: AuditServiceKind,
  summary: 'Discards audit events.',
  config: {},
  create: () => ({
    publish: () => {},
    send: () => {},
    countFailed: () => {},
    topicProblem: () => null,
    access: null,
    mayBeFull: false,
    isFull: false,
    waitForRoom: () => Promise.resolve(),
    serveQueries: () => {},
  }),
})
