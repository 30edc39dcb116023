import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

import startSite from './site.cjs';

await startSite({ express, mongoose, passport, session, authorizationServer, createUsers, localLogin });
