import { ResourceUriProviderKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { requestResource } from '../../lib/am/request-resource.ts'

/** Uses the URI of the request as the resource. */
export const RequestResourceUriProvider = defineType({
  name: 'RequestResourceUriProvider',
  kind: ResourceUriProviderKind,
  summary: 'Uses the URI of the request as resource of policy decisions, with or without its query.',
  config: {
    includeQueryParams: config(boolean()).default(true).meta({
      description:
        'Whether the query is part of the resource; without it, requests with different queries share decisions.',
    }),
    useOriginalUri: config(boolean()).default(false).meta({
      description:
        'Whether the resource is the URI that the client sent, before `baseURI` and filters changed it; by default it is the one sent upstream.',
    }),
  },
  create: ({ includeQueryParams, useOriginalUri }) =>
    requestResource({ includeQuery: includeQueryParams, useOriginalUri }),
})
