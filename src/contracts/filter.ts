import type { Filter } from '#http'
import { kind } from '#schema'
import { attributedFilter } from './fault-origin.ts'

export const FilterKind = kind<Filter>('Filter', [], attributedFilter)
