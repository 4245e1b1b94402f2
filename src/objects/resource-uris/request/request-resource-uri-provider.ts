import { ResourceUriProviderKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { requestResource } from '../../lib/policy/request-resource.ts'

/** The URI of the request names the resource. */
export const RequestResourceUriProvider = defineType({
  name: 'RequestResourceUriProvider',
  kind: ResourceUriProviderKind,
  summary: 'Asks for decisions about the URI of the request, with or without its query.',
  config: {
    includeQueryParams: config(boolean()).prefault(true).meta({
      description: 'Whether the query belongs to the resource; without it, requests that differ in it share decisions.',
    }),
  },
  create: ({ includeQueryParams }) => requestResource(includeQueryParams),
})
