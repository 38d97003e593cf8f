/** The program that searches the files of a database for a person. */
import { text } from 'node:stream/consumers';
import { personsOf } from '../person.ts';
import { searchFiles } from './search-files.ts';
import type { ApartSearch } from './search-apart.ts';

// A program of its own: reads an ApartSearch from standard input, and writes what was found in each file.
const { files, identifiers, values, resumed } = JSON.parse(await text(process.stdin)) as ApartSearch;
const person = resumed === null ? null : personsOf(resumed.identifiers, Buffer.from(resumed.key, 'base64'));
process.stdout.write(JSON.stringify(searchFiles(files, identifiers, new Set(values), person)));
