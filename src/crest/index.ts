export { crestDescriptor, crestDescriptorOf } from './descriptors/crest-descriptor.ts'
export { type ApiSecurity, openApi, openApiOf, type ServedEndpoint } from './descriptors/open-api.ts'
export { contentRevision, type MemoryOptions, memoryCollection } from './memory-collection.ts'
export { applyPatch, type PatchOptions, type Transformation } from './patch/apply.ts'
export { PatchError, type PatchOperation, parsePatch } from './patch/operation.ts'
export { formatQueryPointer, type Pointer, parseFieldPointer, parseQueryPointer, valueAt } from './pointer.ts'
export { errorAnswer } from './protocol/answers.ts'
export type { ApiVersions } from './protocol/api-version.ts'
export { describeBelow, type EndpointGroup } from './protocol/descriptor-handler.ts'
export type {
  Action,
  ActionInput,
  Call,
  Collection,
  Description,
  Endpoint,
  ParameterDescription,
  Resource,
  Singleton,
  StoredQuery,
} from './protocol/endpoint.ts'
export { commonRest, type Serving } from './protocol/endpoint-handler.ts'
export { listResources, queryResources } from './protocol/listing.ts'
export { type Outcome, Refusal } from './protocol/refusal.ts'
export { PageCookies } from './query/page-cookies.ts'
export { type CountPolicy, MAX_PAGE_SIZE, type Query, type QuerySelector } from './query/query.ts'
export { type Entry, type ListingOptions, type ResultPage, resultPage } from './query/result-page.ts'
export { parseSortKeys, printSortKeys, type SortKey } from './query/sort-keys.ts'
export type { ExtendedOperator, ExtendedOperators, Truth } from './query-filter/compile.ts'
export { evaluate, matches } from './query-filter/evaluate.ts'
export { type Assertion, type QueryFilter, QueryFilterError } from './query-filter/filter.ts'
export { parseQueryFilter } from './query-filter/parser.ts'
export { printQueryFilter } from './query-filter/print.ts'
