'use strict';
const { authorizationServer, createUsers, localLogin } = require('express-authorization-server');
const express = require('express');
const session = require('express-session');
const mongoose = require('mongoose');
const passport = require('passport');
const startSite = require('./site.cjs');

startSite({ express, mongoose, passport, session, authorizationServer, createUsers, localLogin });
